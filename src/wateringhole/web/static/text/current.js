// @ts-check
/** The texts in the language of the page. The server sends the file of that language instead; other tools read English. */

export { messages } from "./en.js";
