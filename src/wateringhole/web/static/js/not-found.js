// @ts-check
/** The page of an unknown address. */

import { showSiteHeader } from "./site-header.js";

showSiteHeader(location.pathname);
