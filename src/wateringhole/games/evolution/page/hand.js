// @ts-check
/** My hand. Every card exists only once, so its text identifies it. */

import { setChildren, h, icon, setAttribute, setText } from "/static/js/dom.js";
import { loadPreference, savePreference } from "/static/js/preferences.js";
import { traitText } from "./trait-card.js";
import { cardFace, usedCard, useLabel } from "./card.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {import("./types.js").Texts} Texts */

/**
 * @typedef {object} HandModel
 * @property {Card[]} cards
 * @property {number|null} chosen
 * @property {DraftStep[]} steps of the draft; their cards are marked as used
 * @property {boolean} asked whether cards can be used now
 */

/** More cards than this overlap, and used cards leave no gap. */
const MAX_WITHOUT_OVERLAP = 8;

/** @typedef {"dealt"|"food"|"name"} Order */

/** The order after each one. @type {Record<Order, Order>} */
const NEXT = { dealt: "food", food: "name", name: "dealt" };

/** @param {Texts} texts */
export function createHand(texts) {
  const element = h("section", { class: "hand", "aria-label": t("hand.label") });
  const orderName = h("span");
  const sortButton = h("button", { class: "sort", type: "button", onclick: sort }, icon("swap"), orderName);
  const chosenOrder = loadPreference("hand");
  /** @type {Order} */
  let order = chosenOrder === "food" || chosenOrder === "name" ? chosenOrder : "dealt";
  /** @type {HandModel | null} */
  let shown = null;
  /** @type {Map<string, HTMLElement>} */
  let pieces = new Map();

  function sort() {
    order = NEXT[order];
    savePreference("hand", order);
    if (shown) update(shown);
  }

  /** @param {Card} one @param {Card} other */
  function compare([points, trait], [otherPoints, otherTrait]) {
    if (order === "dealt") return 0;
    const byName = traitText(texts, trait).name.localeCompare(traitText(texts, otherTrait).name);
    const byFood = otherPoints - points;
    return order === "food" ? byFood || byName : byName || byFood;
  }

  /** @param {HandModel} model @returns {HTMLElement[]} the new cards */
  function update(model) {
    const { cards, chosen, steps, asked } = model;
    shown = model;
    sortButton.hidden = cards.length < 2;
    setText(orderName, t(`hand.${order}`));
    setAttribute(sortButton, "aria-label", t("hand.sort", { order: t(`hand.${order}`), next: t(`hand.${NEXT[order]}`) }));
    const uses = new Map(steps.map((step, index) => [step.card, { use: useLabel(step), index }]));
    /** @type {Map<string, HTMLElement>} */
    const next = new Map();
    let number = 0;
    const inOrder = cards.map((card, index) => ({ card, index })).sort((one, other) => compare(one.card, other.card));
    inOrder.forEach(({ card, index }) => {
      const used = uses.get(index);
      const key = `${card.join(" ")}${used ? ` ${used.use}` : ""}`;
      const piece = pieces.get(key) ?? (used ? usedCard(texts, card, used.use) : cardFace(texts, card));
      next.set(key, piece);
      if (used) setAttribute(piece, "data-step", String(used.index));
      else {
        number += 1;
        setAttribute(piece, "data-card", String(index));
        setAttribute(piece, "aria-pressed", asked ? String(chosen === index) : null);
        piece.classList.toggle("chosen", chosen === index);
        const key = piece.querySelector(".key");
        if (key) setText(key, asked && number < 10 ? String(number) : "");
        setAttribute(piece, "aria-keyshortcuts", asked && number < 10 ? String(number) : null);
      }
    });
    const added = pieces.size > 0 ? [...next].filter(([key]) => !pieces.has(key)).map(([, piece]) => piece) : [];
    pieces = next;
    element.style.setProperty("--n", String(next.size));
    element.style.setProperty("--cards", String(number));
    element.classList.toggle("crowded", next.size > MAX_WITHOUT_OVERLAP);
    setChildren(element, next.size ? [...next.values()] : [h("p", { class: "small no-cards" }, t("hand.empty"))]);
    return added;
  }

  return { element, sortButton, update };
}
