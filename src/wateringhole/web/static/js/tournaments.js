// @ts-check
/** The page of tournaments: all of them with the operator's form, or one that is followed live. */

import { byId } from "./dom.js";
import { showSiteHeader } from "./site-header.js";
import { showTournaments } from "./tournaments/list.js";
import { followTournament } from "./tournaments/screen.js";

showSiteHeader("/tournaments");
const chosen = /^\/tournaments\/(.+)$/.exec(location.pathname)?.[1];
if (chosen) followTournament(decodeURIComponent(chosen), byId("content"));
else showTournaments(byId("content"));
