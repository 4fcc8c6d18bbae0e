// @ts-check
/** The help sheet: a summary of the rules, and the keyboard shortcuts. */

import { h } from "./dom.js";
import { sheet } from "./sheet.js";

/** @typedef {import("./types.js").Guide} Guide */
/** @typedef {import("./types.js").Texts} Texts */

/**
 * @param {Guide} guide @param {{texts: Texts, rules: Record<string, any>, commitment?: string, nonce?: string}} game
 * @param {HTMLElement[]} actions
 * @param {HTMLElement | null} [players] the list of players, for the one who opened the table
 */
export function openHelp(guide, { texts, rules, commitment, nonce }, actions, players = null) {
  const sections = guide.help(texts, rules).map(({ title, lines, more }) =>
    h(
      "section",
      { class: "help" },
      h("h3", null, title),
      lines.length > 0 && h("ul", null, lines.map((line) => h("li", null, line))),
      more,
    ),
  );
  const keys = h(
    "section",
    { class: "help" },
    h("h3", null, "Keys"),
    h("dl", { class: "keys" }, [...guide.keys, ...COMMON_KEYS].flatMap(([key, text]) => [h("dt", null, key), h("dd", null, text)])),
  );
  const deal = commitment
    ? [
        h(
          "section",
          { class: "help" },
          h("h3", null, "The deal"),
          h("p", { class: "small" }, "This digest was published before the game. If a valid record has the same digest, the deal was not changed."),
          h("code", { class: "small commitment" }, commitment),
          h("p", { class: "small" }, nonce ? "The game is over, so its nonce is revealed. The record has the same one." : "Its nonce is revealed when the game is over."),
          nonce && h("code", { class: "small commitment" }, nonce),
        ),
      ]
    : [];
  const dialog = sheet("help", "Rules and keys", [players, ...sections, keys, ...deal], { actions });
  dialog.showModal();
}

/** @type {[string, string][]} */
const COMMON_KEYS = [
  ["L", "open or close the log"],
  ["Space", "pause, or continue"],
  [". and ,", "one move on or back"],
  ["+ and -", "faster or slower"],
  ["End", "go to the live position"],
  ["?", "open this help"],
];
