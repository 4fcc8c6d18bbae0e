// @ts-check
/** Evolution's texts in the language of the page. */

import { translator } from "/static/js/text.js";
import { messages } from "./text/current.js";

export const t = translator(messages);
