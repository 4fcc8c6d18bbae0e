// @ts-check
/** My side of the table: who I am, my bag, my row with big boards, and the open ground for a new species. */

import { setChildren, h, icon, setAttribute, setText } from "/static/js/dom.js";
import { createRow } from "./row.js";

/** @typedef {import("./board.js").BoardModel} BoardModel */

/**
 * @typedef {object} MineModel
 * @property {number} order
 * @property {number} bag
 * @property {boolean} isActing
 * @property {string} note
 * @property {BoardModel[]} boards
 * @property {number[]} places
 * @property {Record<string, string>} buy zones for a new species that are lit
 */

/** @param {import("./types.js").Texts} texts @param {number} seat @param {HTMLElement} sorter of my hand */
export function createMine(texts, seat, sorter) {
  const order = h("span", { class: "order num" });
  const bag = h("b", { class: "num" });
  const note = h("span", { class: "note" });
  const head = h(
    "div",
    { class: "me" },
    h("h2", { class: "who" }, "You"),
    h("p", { class: "in-turn" }, order, h("span", null, "in turn")),
    h("p", { class: "bag" }, icon("food-plant"), bag, h("small", null, "in your bag")),
    sorter,
    note,
  );
  const row = createRow(texts, seat, true);
  const element = h("section", { class: "mine-row", "aria-label": "Your species" }, head, row.element);
  /** @type {Map<string, HTMLElement>} */
  const grounds = new Map();

  /** @param {string} zone @param {string} label */
  function ground(zone, label) {
    const piece =
      grounds.get(zone) ??
      h(
        "button",
        { class: "newland", type: "button", "data-zone": zone },
        icon("population"),
        h("span", null, "New species"),
        h("span", { class: "spot" }, "pay with this card"),
      );
    grounds.set(zone, piece);
    setAttribute(piece, "title", label);
    return piece;
  }

  /** @param {MineModel} model */
  function update(model) {
    setText(order, String(model.order));
    setText(bag, String(model.bag));
    setText(note, model.note);
    element.classList.toggle("acting", model.isActing);
    row.update(model.boards, model.places);
    const { "buy:left": atLeft, ...atRight } = model.buy;
    const rightGrounds = Object.entries(atRight).map(([zone, label]) => ground(zone, label));
    setChildren(element, [head, ...(atLeft === undefined ? [] : [ground("buy:left", atLeft)]), row.element, ...rightGrounds]);
  }

  return { element, head, row, update };
}
