// @ts-check
/** The panels next to the hole during feeding: the options, the amount to store, and the preview of an attack. */

import { h, icon } from "/static/js/dom.js";
import { previewLines } from "./attack-preview.js";
import { button } from "./panel.js";
import { speciesName } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("./types.js").PreviewMessage} PreviewMessage */
/** @typedef {import("./feed.js").OptionGroup} OptionGroup */

/**
 * @param {OptionGroup[]} groups
 * @param {Board[]} boards
 * @param {OptionGroup | null} selected
 * @param {Record<string, string>} icons
 * @param {(group: OptionGroup) => void} onSelect
 */
export function optionList(groups, boards, selected, icons, onSelect) {
  return [
    h("h2", null, t("feed.title")),
    h("p", { class: "small quiet" }, t("feed.intro")),
    h(
      "div",
      { class: "options" },
      groups.map((group, index) => {
        const sameName = boards.filter((board) => speciesName(board) === speciesName(boards[group.board])).length > 1;
        const text = sameName ? t("feed.numbered", { option: group.text, number: group.board + 1 }) : group.text;
        return h(
          "button",
          {
            class: "option",
            type: "button",
            "data-key": `${group.type} ${group.board}`,
            "aria-pressed": String(group === selected),
            "aria-keyshortcuts": index < 9 ? String(index + 1) : null,
            onclick: () => onSelect(group),
          },
          icon(icons[group.type]),
          h("span", null, text, group.effect && h("small", null, group.effect)),
          index < 9 && h("kbd", { "aria-hidden": "true" }, index + 1),
        );
      }),
    ),
  ];
}

/**
 * @param {Board} board
 * @param {number} tokens
 * @param {import("./types.js").FeedOption} option
 * @param {number} hole
 * @param {{change: (by: number) => void, store: () => void, cancel: () => void}} callbacks
 */
export function storePanel(board, tokens, { most = 1, room = 1 }, hole, { change, store, cancel }) {
  const step = (/** @type {string} */ sign, /** @type {number} */ by, /** @type {string} */ label) => {
    const onclick = () => change(by);
    return h("button", { class: "btn step", type: "button", "data-key": `step ${by}`, "aria-label": label, onclick }, sign);
  };
  return [
    h("h2", null, t("store.title", { species: speciesName(board).toLowerCase() })),
    h("p", { class: "small" }, t("store.text", { fat: board.fat, body: board.body })),
    h(
      "div",
      { class: "stepper" },
      step("−", -1, t("store.fewer")),
      h("output", { class: "num", "aria-live": "polite" }, t("store.amount", { tokens, most })),
      step("+", 1, t("store.more")),
    ),
    most < room && h("p", { class: "small warn" }, t("store.short", { room, hole })),
    confirmOrCancel(button(t("store.button", { tokens }), "primary", store, { key: "Enter", name: "store" }), cancel),
  ];
}

/**
 * @param {string} title
 * @param {PreviewMessage | null} preview
 * @param {EvolutionScene} before
 * @param {string[]} names
 * @param {{attack: () => void, cancel: () => void}} callbacks
 */
export function attackPanel(title, preview, before, names, { attack, cancel }) {
  return [
    h("h2", null, title),
    preview
      ? h("ol", { class: "attack-preview" }, previewLines(preview.steps, before, names))
      : h("p", { class: "small" }, t("attack.computing")),
    confirmOrCancel(button(t("attack.button"), "danger", attack, { key: "Enter", off: !preview }), cancel),
  ];
}

/** Creates the buttons of a panel; on a phone they are in the bar at the bottom. @param {HTMLElement} main @param {() => void} cancel */
const confirmOrCancel = (main, cancel) => h("div", { class: "act only-wide" }, main, button(t("feed.cancel"), "ghost", cancel));
