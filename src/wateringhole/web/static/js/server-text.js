// @ts-check
/**
 * Sentences of the server in the language of the page. The server writes English, which programs and the log read as
 * well; `text/server.js` has the same sentences with placeholders. Any other stays as it is.
 */

import { SENTENCES } from "../text/server.js";
import { capitalized, language, t } from "./text.js";

/** @type {{pattern: RegExp, key: string}[]} */
const PATTERNS = Object.entries(SENTENCES)
  .map(([key, text]) => ({ key, pattern: new RegExp(`^${escape(text).replaceAll(/\\\{(\w+)\\\}/g, "(?<$1>.+?)")}$`) }));

/** @param {string} text */
function escape(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** @param {string} sentence */
export const fromServer = (sentence) => translation(sentence) ?? sentence;

/**
 * Returns why a player was thrown out. A message that the page does not know may be a program's; its kind has a name.
 * @param {string} sentence
 * @param {string} [reason] the kind of the forfeit
 */
export const forfeitText = (sentence, reason) => translation(sentence) ?? capitalized(`${t.find(`forfeit.${reason}`) ?? sentence}`);

/** Returns a server text in the language of the page, or null if the page does not know it. @param {string} sentence */
function translation(sentence) {
  if (language === "en") return sentence;
  for (const { pattern, key } of PATTERNS) {
    const found = pattern.exec(sentence);
    if (found) return t.find(key, found.groups);
  }
  return null;
}
