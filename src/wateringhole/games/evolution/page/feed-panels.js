// @ts-check
/** The panels beside the hole while I feed: what I can do, the stepper of a store, and what would follow. */

import { h, icon } from "/static/js/dom.js";
import { chainLines } from "./attack-preview.js";
import { button } from "./panel.js";
import { nameOf } from "./words.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("./types.js").PreviewMessage} PreviewMessage */
/** @typedef {import("./feed.js").OptionGroup} OptionGroup */

/**
 * @param {OptionGroup[]} groups
 * @param {Board[]} boards
 * @param {OptionGroup | null} picked
 * @param {Record<string, string>} icons
 * @param {(group: OptionGroup) => void} pick
 */
export function possibilities(groups, boards, picked, icons, pick) {
  return [
    h("h2", null, "Your feeding"),
    h("p", { class: "small quiet" }, "One of these, then the next player."),
    h(
      "div",
      { class: "cans" },
      groups.map((group, place) => {
        const sameName = boards.filter((board) => nameOf(board) === nameOf(boards[group.board])).length > 1;
        const which = sameName ? ` (species ${group.board + 1})` : "";
        return h(
          "button",
          {
            class: "can",
            type: "button",
            "data-key": `${group.type} ${group.board}`,
            "aria-pressed": String(group === picked),
            "aria-keyshortcuts": place < 9 ? String(place + 1) : null,
            onclick: () => pick(group),
          },
          icon(icons[group.type]),
          h("span", null, `${group.text}${which}`, group.effect && h("small", null, group.effect)),
          place < 9 && h("kbd", { "aria-hidden": "true" }, place + 1),
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
 * @param {{change: (by: number) => void, store: () => void, letGo: () => void}} acts
 */
export function storing(board, tokens, { most = 1, room = 1 }, hole, { change, store, letGo }) {
  const step = (/** @type {string} */ sign, /** @type {number} */ by, /** @type {string} */ label) => {
    const onclick = () => change(by);
    return h("button", { class: "btn step", type: "button", "data-key": `step ${by}`, "aria-label": label, onclick }, sign);
  };
  return [
    h("h2", null, `Store on the ${nameOf(board).toLowerCase()}`),
    h("p", { class: "small" }, `Its store has ${board.fat} of ${board.body}. What is stored feeds it after the next reveal.`),
    h(
      "div",
      { class: "stepper" },
      step("−", -1, "One token fewer"),
      h("output", { class: "num", "aria-live": "polite" }, `${tokens} of ${most}`),
      step("+", 1, "One token more"),
    ),
    most < room && h("p", { class: "small warn" }, `There is room for ${room}, but the hole holds only ${hole}.`),
    confirmOrCancel(button(`Store ${tokens}`, "primary", store, { key: "Enter", name: "store" }), letGo),
  ];
}

/**
 * @param {string} title
 * @param {PreviewMessage | null} preview
 * @param {EvolutionScene} before
 * @param {string[]} names
 * @param {{attack: () => void, letGo: () => void}} acts
 */
export function chain(title, preview, before, names, { attack, letGo }) {
  return [
    h("h2", null, title),
    preview
      ? h("ol", { class: "chain" }, chainLines(preview.steps, before, names))
      : h("p", { class: "small" }, "Working out what would follow…"),
    confirmOrCancel(button("Attack", "danger", attack, { key: "Enter", off: !preview }), letGo),
  ];
}

/** On a phone they are in the bar at the bottom. @param {HTMLElement} main @param {() => void} letGo */
const confirmOrCancel = (main, letGo) => h("div", { class: "act only-wide" }, main, button("Cancel", "ghost", letGo));
