// @ts-check
/** Trait cards: in my hand, small ones in a replay, and card backs. */

import { h, icon } from "/static/js/dom.js";
import { tintOf, traitIcon, traitText } from "./trait-card.js";
import { cardLabel, signed } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").Texts} Texts */

/** @param {Texts} texts @param {Card} card */
export function cardFace(texts, card) {
  const [points, trait] = card;
  const { name, family } = traitText(texts, trait);
  return h(
    "button",
    { class: `card ${tintOf(texts, trait)}`, type: "button" },
    h("span", { class: "vh" }, cardLabel(texts, card)),
    h("span", { class: "points num", "aria-hidden": "true" }, signed(points), icon("food-plant"), h("i", { class: "fam-mark" })),
    h("span", { class: "art" }, traitIcon(trait)),
    h("span", { class: "name", "aria-hidden": "true" }, name, h("small", null, t(`family.${family}`))),
    h("span", { class: "key", "aria-hidden": "true" }),
  );
}

/** Creates the placeholder of a card used in the draft. @param {Texts} texts @param {Card} card @param {string} use */
export function usedCard(texts, [, trait], use) {
  const { name } = traitText(texts, trait);
  return h(
    "button",
    { class: "used-card", type: "button" },
    traitIcon(trait),
    h("span", null, name),
    h("span", { class: "use" }, use),
    h("span", { class: "vh" }, t("draft.undo")),
  );
}

/**
 * Creates a small hand for a replay, or card backs if the hand is hidden.
 * @param {Texts} texts
 * @param {Card[] | null} cards
 * @param {number} size
 */
export function smallHand(texts, cards, size) {
  const label = cards ? t("card.hand", { cards: cards.map((card) => cardLabel(texts, card)).join(" ") }) : t("card.inHand", { count: size });
  const faces = cards
    ? cards.map(([points, trait]) =>
        h(
          "span",
          { class: `mini ${tintOf(texts, trait)}`, "data-card-trait": trait },
          h("b", { class: "num" }, signed(points)),
          traitIcon(trait),
        ),
      )
    : Array.from({ length: size }, () => h("span", { class: "mini back" }, icon("card-back")));
  return h("div", { class: "mini-hand", role: "img", "aria-label": label, style: { "--n": String(size) } }, faces);
}

/** Returns a short label for the use of a card in a draft. @param {import("./types.js").DraftStep} step */
export function useLabel(step) {
  return t(`used.${step.step}`);
}
