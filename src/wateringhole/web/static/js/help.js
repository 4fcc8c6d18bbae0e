// @ts-check
/** The help sheet: a summary of the rules, and the keyboard shortcuts. */

import { h } from "./dom.js";
import { sheet } from "./sheet.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Guide} Guide */
/** @typedef {import("./types.js").Texts} Texts */

/**
 * @param {Guide} guide @param {{texts: Texts, rules: Record<string, any>, commitment?: string, nonce?: string}} game
 * @param {string[]} rulesAtTable one line each
 * @param {HTMLElement[]} actions
 * @param {HTMLElement | null} [players] the list of players, for the one who opened the table
 */
export function openHelp(guide, { texts, rules, commitment, nonce }, rulesAtTable, actions, players = null) {
  const atTable = { title: t("rules.atTable"), lines: rulesAtTable, more: null };
  const sections = [...guide.help(texts, rules), atTable].map(({ title, lines, more }) =>
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
    h("h3", null, t("help.keys")),
    h("dl", { class: "keys" }, [...guide.keys, ...COMMON_KEYS].flatMap(([key, text]) => [h("dt", null, key), h("dd", null, text)])),
  );
  const deal = commitment
    ? [
        h(
          "section",
          { class: "help" },
          h("h3", null, t("help.deal")),
          h("p", { class: "small" }, t("help.digest")),
          h("code", { class: "small commitment" }, commitment),
          h("p", { class: "small" }, nonce ? t("help.nonceShown") : t("help.nonceHidden")),
          nonce && h("code", { class: "small commitment" }, nonce),
        ),
      ]
    : [];
  const dialog = sheet("help", t("help.title"), [players, ...sections, keys, ...deal], { actions });
  dialog.showModal();
}

/** @type {[string, string][]} */
const COMMON_KEYS = [
  ["L", t("help.keyLog")],
  [t("help.space"), t("help.keyPause")],
  [t("help.stepKeys"), t("help.keyStep")],
  [t("help.speedKeys"), t("help.keySpeed")],
  ["End", t("help.keyLive")],
  ["?", t("help.keyHelp")],
];
