// @ts-check
/** Trait cards: in my hand, small in a replay's hands, and from behind. */

import { h, icon } from "/static/js/dom.js";
import { tintOf, traitText } from "./trait-card.js";
import { cardSentence, signed } from "./words.js";

/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").Texts} Texts */

/** @param {Texts} texts @param {Card} card */
export function cardFace(texts, card) {
  const [points, trait] = card;
  const { name, family } = traitText(texts, trait);
  return h(
    "button",
    { class: `card ${tintOf(texts, trait)}`, type: "button" },
    h("span", { class: "vh" }, cardSentence(texts, card)),
    h("span", { class: "points num", "aria-hidden": "true" }, signed(points), icon("food-plant"), h("i", { class: "fam-mark" })),
    h("span", { class: "art" }, icon(trait)),
    h("span", { class: "name", "aria-hidden": "true" }, name, h("small", null, family)),
    h("span", { class: "key", "aria-hidden": "true" }),
  );
}

/** The gap that a card leaves. @param {Texts} texts @param {Card} card @param {string} use */
export function cardGap(texts, [, trait], use) {
  const { name } = traitText(texts, trait);
  return h(
    "button",
    { class: "gone", type: "button" },
    icon(trait),
    h("span", null, name),
    h("span", { class: "use" }, use),
    h("span", { class: "vh" }, "Take back"),
  );
}

/**
 * A small hand in a replay, or only backs where it may not be seen.
 * @param {Texts} texts
 * @param {Card[] | null} cards
 * @param {number} size
 */
export function smallHand(texts, cards, size) {
  const label = cards ? `Hand: ${cards.map((card) => cardSentence(texts, card)).join(" ")}` : `${size} cards in hand`;
  const faces = cards
    ? cards.map(([points, trait]) =>
        h(
          "span",
          { class: `mini ${tintOf(texts, trait)}`, "data-card-trait": trait },
          h("b", { class: "num" }, signed(points)),
          icon(trait),
        ),
      )
    : Array.from({ length: size }, () => h("span", { class: "mini back" }, icon("card-back")));
  return h("div", { class: "mini-hand", role: "img", "aria-label": label, style: { "--n": String(size) } }, faces);
}

/** What a card is for in a draft, in two or three texts. @param {import("./types.js").DraftStep} step */
export function useOf(step) {
  return {
    food: "food card",
    buy: "new species",
    lay: "trait",
    replace: "new trait",
    population: "one animal more",
    body: "larger body",
  }[step.step];
}
