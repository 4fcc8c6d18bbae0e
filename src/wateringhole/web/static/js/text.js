// @ts-check
/**
 * Texts in the language of the document, which the server chooses (`web/languages.py`).
 *
 * The page's texts are in `text/en.js` and `text/pt.js`, those of a game in its own files. At the address
 * `text/current.js` the server sends the file of the document's language. Each key has the same `{placeholders}` in every
 * language. A text with a `count` may have several forms.
 */

import { messages } from "../text/current.js";

/** @typedef {"en" | "pt"} Language */
/** @typedef {string | {zero?: string, one: string, other: string}} Message by the plural form of `count`; `zero` only for 0 */
/** @typedef {Record<string, Message>} Messages */

/**
 * The names of the placeholders in a text.
 * @template S
 * @typedef {S extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never} Placeholders
 */
/**
 * The placeholders in all forms of a message.
 * @template M
 * @typedef {M extends string ? Placeholders<M> : Placeholders<M[keyof M]> | "count"} Names
 */
/**
 * The arguments after the key of a message: its values, if it has placeholders.
 * @template M
 * @typedef {[Names<M>] extends [never] ? [] : [values: Record<Names<M>, string | number>]} Values
 */

/** British English joins the last two items of a list without a comma, as our English does. @type {Record<Language, string>} */
const LOCALES = { en: "en-GB", pt: "pt-BR" };

/** The names of the languages, each in itself. @type {Record<Language, string>} */
export const LANGUAGES = { en: "English", pt: "Português" };

/** The language of the page. @type {Language} */
export const language = globalThis.document?.documentElement.lang.startsWith("pt") ? "pt" : "en";

const locale = LOCALES[language];
const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(locale);
const lists = new Intl.ListFormat(locale);
const choices = new Intl.ListFormat(locale, { type: "disjunction" });

/**
 * Returns the function that returns a text by its key, with values for its placeholders.
 * @template {Messages} M
 * @param {M} messages in the language of the page
 */
export function translator(messages) {
  /**
   * @template {keyof M & string} K
   * @param {K} key
   * @param {Values<M[K]>} values
   * @returns {string}
   */
  function t(key, ...values) {
    return fillIn(messages[key], /** @type {any} */ (values[0] ?? {}));
  }
  /**
   * Returns a text by a key that is known only at run time, or null if there is none.
   * @param {string} key
   * @param {Record<string, string | number>} [values]
   */
  t.find = (key, values = {}) => (Object.hasOwn(messages, key) ? fillIn(messages[key], values) : null);
  return t;
}

/** @param {Message} message @param {Record<string, string | number>} values */
function fillIn(message, values) {
  const form = typeof message === "string" ? message : chooseForm(message, Number(values.count));
  return form.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? formatNumber(value) : value;
  });
}

/** @param {Exclude<Message, string>} message @param {number} count */
function chooseForm(message, count) {
  if (count === 0 && message.zero !== undefined) return message.zero;
  return plurals.select(count) === "one" ? message.one : message.other;
}

/** Returns a text of the page. */
export const t = translator(messages);

/** @param {number} value @param {number} [digits] after the decimal point */
export const formatNumber = (value, digits) =>
  digits === undefined ? numbers.format(value) : value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Returns "42 %". @param {number} share */
export const formatPercent = (share) => `${formatNumber(Math.round(share * 100))} %`;

/** @param {number} seconds since 1970 */
export const formatDateTime = (seconds) => new Date(seconds * 1000).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });

/** Returns "A", "A and B" or "A, B and C". @param {string[]} items */
export const formatList = (items) => lists.format(items);

/** Returns "A", "A or B" or "A, B or C". @param {string[]} items */
export const formatChoice = (items) => choices.format(items);

/** Returns a text with a capital first letter. @param {string} text */
export const capitalized = (text) => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);

/** Shows the page in another language. @param {Language} chosen */
export function chooseLanguage(chosen) {
  document.cookie = `language=${chosen}; path=/; max-age=${365 * 24 * 3600}; samesite=lax`;
  location.reload();
}
