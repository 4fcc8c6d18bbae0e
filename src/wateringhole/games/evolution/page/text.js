// @ts-check
/** Evolution's texts in the language of the page. */

import { translator } from "/static/js/text.js";
import { en } from "./text/en.js";
import { pt } from "./text/pt.js";

export const t = translator({ en, pt });
