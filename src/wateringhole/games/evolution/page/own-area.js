// @ts-check
/** My part of the table: my bag, my boards, and the buttons for a new species. */

import { setChildren, h, icon, setAttribute, setText } from "/static/js/dom.js";
import { createRow } from "./row.js";
import { t } from "./text.js";

/** @typedef {import("./board.js").BoardModel} BoardModel */

/**
 * @typedef {object} OwnAreaModel
 * @property {number} order
 * @property {number} bag
 * @property {boolean} isActing
 * @property {string} note
 * @property {BoardModel[]} boards
 * @property {number[]} boardOrder the boards from left to right
 * @property {Record<string, string>} buy the highlighted zones for a new species
 */

/** @param {import("./types.js").Texts} texts @param {number} seat @param {HTMLElement} sortButton of my hand */
export function createOwnArea(texts, seat, sortButton) {
  const order = h("span", { class: "order num" });
  const bag = h("b", { class: "num" });
  const note = h("span", { class: "note" });
  const head = h(
    "div",
    { class: "me" },
    h("h2", { class: "who" }, t("you")),
    h("p", { class: "in-turn" }, order, h("span", null, t("own.order"))),
    h("p", { class: "bag" }, icon("food-plant"), bag, h("small", null, t("own.bag"))),
    sortButton,
    note,
  );
  const row = createRow(texts, seat, true);
  const element = h("section", { class: "mine-row", "aria-label": t("own.label") }, head, row.element);
  /** @type {Map<string, HTMLElement>} */
  const newSpeciesButtons = new Map();

  /** @param {string} zone @param {string} label */
  function newSpeciesButton(zone, label) {
    const piece =
      newSpeciesButtons.get(zone) ??
      h(
        "button",
        { class: "new-species", type: "button", "data-zone": zone },
        icon("population"),
        h("span", null, t("own.newSpecies")),
        h("span", { class: "spot" }, t("own.pay")),
      );
    newSpeciesButtons.set(zone, piece);
    setAttribute(piece, "title", label);
    return piece;
  }

  /** @param {OwnAreaModel} model */
  function update(model) {
    setText(order, String(model.order));
    setText(bag, String(model.bag));
    setText(note, model.note);
    element.classList.toggle("acting", model.isActing);
    row.update(model.boards, model.boardOrder);
    const { "buy:left": atLeft, ...atRight } = model.buy;
    const rightButtons = Object.entries(atRight).map(([zone, label]) => newSpeciesButton(zone, label));
    setChildren(element, [head, ...(atLeft === undefined ? [] : [newSpeciesButton("buy:left", atLeft)]), row.element, ...rightButtons]);
  }

  return { element, head, row, update };
}
