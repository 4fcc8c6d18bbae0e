// @ts-check
/** A player at the table: name, position in the turn order, public information and boards. */

import { botButtons } from "/static/js/bot-card.js";
import { h, icon, setAttribute } from "/static/js/dom.js";
import { patchChildren } from "/static/js/patch.js";
import { absenceLabel, botLabel } from "/static/js/player-status.js";
import { smallHand } from "./card.js";
import { createRow } from "./row.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("/static/js/types.js").SeatInfo} SeatInfo */
/** @typedef {import("./types.js").Texts} Texts */
/** @typedef {import("./board.js").BoardModel} BoardModel */

/** @typedef {{place: number | null, label: string}} Result the place is null for a player who was thrown out */

/**
 * @typedef {object} SeatModel
 * @property {string} name
 * @property {SeatInfo | undefined} info
 * @property {number} order from 1
 * @property {boolean} isActing
 * @property {string} note what the player is doing
 * @property {Result | null} result when the game is over
 * @property {number} handSize
 * @property {Card[] | null} hand null if only the backs are visible
 * @property {boolean} showsHand whether to draw the hand below the row
 * @property {number | null} bag
 * @property {BoardModel[]} boards
 */

/** @param {Texts} texts @param {number} seat */
export function createSeat(texts, seat) {
  const row = createRow(texts, seat, false);
  const head = h("header", { class: "seat-head" });
  const hand = h("div", { class: "seat-hand" });
  const element = h("section", { class: "player", "data-seat": seat }, head, row.element, hand);
  let drawn = "";
  let drawnHand = "";

  /** @param {SeatModel} model */
  function update(model) {
    setAttribute(element, "aria-label", model.name);
    element.classList.toggle("acting", model.isActing);
    element.style.setProperty("--boards", String(Math.max(model.boards.length, 1)));
    const signature = JSON.stringify([model.name, model.info, model.order, model.note, model.result, model.handSize, model.bag]);
    if (signature !== drawn) {
      drawn = signature;
      patchChildren(head, headOf(model));
    }
    const cards = JSON.stringify([model.showsHand, model.hand, model.handSize]);
    if (cards !== drawnHand) {
      drawnHand = cards;
      hand.replaceChildren(...(model.showsHand && model.handSize ? [smallHand(texts, model.hand, model.handSize)] : []));
    }
    row.update(model.boards);
  }

  return { element, row, head, update };
}

/** @param {SeatModel} model @returns {Node[]} */
function headOf({ name, info, order, note, result, handSize, bag }) {
  const number = result ? (result.place ?? "–") : order;
  const position = result ? t("seat.place", { place: number }) : t("seat.position", { position: number });
  const bot = botLabel(info);
  const absence = absenceLabel(info);
  return [
    // The name and the numbers are always visible; a long name is cut off.
    h(
      "div",
      { class: "identity" },
      h("span", { class: "order num", title: position, "aria-label": position, role: "img" }, number),
      ...botButtons(info),
      h("h2", { class: "who", title: name }, name),
      h("span", { class: "cards-held num", role: "img", "aria-label": t("card.inHand", { count: handSize }) }, icon("card-back"), handSize),
      ...(bag === null ? [] : [bagCount(bag)]),
    ),
    // The first tags stay visible where space is short.
    ...(result ? [h("span", { class: "tag placed" }, result.label)] : []),
    ...(absence && !result ? [h("span", { class: "tag away" }, absence)] : []),
    ...(order === 1 ? [h("span", { class: "tag first" }, icon("first-player"), t("seat.starts"))] : []),
    ...(bot ? [h("span", { class: "tag" }, bot)] : []),
    ...(note && !result ? [h("span", { class: "note" }, note)] : []),
  ];
}

/** @param {number} bag */
const bagCount = (bag) => h("span", { class: "in-bag num", role: "img", "aria-label": t("seat.bag", { food: bag }) }, icon("food-plant"), bag);
