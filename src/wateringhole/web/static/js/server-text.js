// @ts-check
/**
 * Sentences of the server in the language of the page. The server writes English, which programs and the log read as
 * well; `text/server.js` has the same sentences with placeholders. Any other stays as it is.
 */

import { SENTENCES } from "../text/server.js";
import { language, t } from "./text.js";

/** @type {{pattern: RegExp, key: string}[]} */
const PATTERNS = Object.entries(SENTENCES)
  .map(([key, text]) => ({ key, pattern: new RegExp(`^${escape(text).replaceAll(/\\\{(\w+)\\\}/g, "(?<$1>.+?)")}$`) }));

/** @param {string} text */
function escape(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** @param {string} sentence */
export function fromServer(sentence) {
  if (language === "en") return sentence;
  for (const { pattern, key } of PATTERNS) {
    const found = pattern.exec(sentence);
    if (found) return t.find(key, found.groups) ?? sentence;
  }
  return sentence;
}
