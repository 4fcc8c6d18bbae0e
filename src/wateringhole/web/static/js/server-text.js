// @ts-check
/**
 * Sentences of the server in the language of the page. The server writes English, which programs and the log read as
 * well; the texts `server.…` have the same sentences with placeholders. Any other stays as it is.
 */

import { en } from "../text/en.js";
import { language, t } from "./text.js";

/** @type {{pattern: RegExp, key: string}[]} */
const SENTENCES = Object.entries(en)
  .filter(([key]) => key.startsWith("server."))
  .map(([key, text]) => ({ key, pattern: new RegExp(`^${escape(String(text)).replaceAll(/\\\{(\w+)\\\}/g, "(?<$1>.+?)")}$`) }));

/** @param {string} text */
function escape(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** @param {string} sentence */
export function fromServer(sentence) {
  if (language === "en") return sentence;
  for (const { pattern, key } of SENTENCES) {
    const found = pattern.exec(sentence);
    if (found) return t.find(key, found.groups) ?? sentence;
  }
  return sentence;
}
