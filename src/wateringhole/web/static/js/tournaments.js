// @ts-check
/** The page of tournaments: all of them with the operator's form, or one that is followed live. */

import { idInAddress } from "./api.js";
import { byId } from "./dom.js";
import { showSiteHeader } from "./site-header.js";
import { showTournaments } from "./tournaments/list.js";
import { followTournament } from "./tournaments/screen.js";

showSiteHeader("/tournaments");
const chosen = idInAddress();
if (chosen) followTournament(chosen, byId("content"));
else showTournaments(byId("content"));
