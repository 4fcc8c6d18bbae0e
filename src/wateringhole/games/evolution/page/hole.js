// @ts-check
/** The watering hole: its tokens, their number, and this turn's food cards. */

import { setChildren, h, icon, setAttribute, setText } from "/static/js/dom.js";
import { reeds, stones, water } from "./scenery.js";
import { signed } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */

/** Positions of the tokens in percent, away from the number in the middle and the cards on the right. */
const SPOTS = [
  [14, 66], [25, 79], [36, 20], [70, 84], [83, 77], [28, 33], [58, 87], [18, 45], [44, 86], [62, 16],
  [33, 62], [90, 62], [48, 16], [12, 54], [76, 22], [22, 58], [64, 79], [30, 86], [87, 36], [26, 62],
];

/**
 * @typedef {object} HoleModel
 * @property {EvolutionScene} scene
 * @property {string[]} names by seat; mine is "You"
 * @property {number|null} seat
 * @property {boolean} zone whether a card can be dropped here now
 * @property {string|null} lit what pressing the hole does
 * @property {number|null} mine my food card's points while it is only drafted
 */

export function createHole() {
  const tokens = h("div", { class: "tokens", "aria-hidden": "true" });
  const sum = h("b", { class: "num" });
  const caption = h("span");
  const laid = h("div", { class: "laid-cards" });
  const spot = h("button", { class: "spot", type: "button", "data-zone": "food", hidden: true });
  const element = h(
    "section",
    { class: "pool", "aria-label": t("hole.label") },
    water(),
    reeds(),
    stones(),
    tokens,
    h("div", { class: "sum" }, sum, caption),
    laid,
    spot,
  );
  /** @type {Map<string, HTMLElement>} */
  let cards = new Map();

  /** @param {HoleModel} model */
  function update({ scene, names, seat, zone, lit, mine }) {
    const shown = Math.min(Math.max(scene.hole, 0), SPOTS.length);
    while (tokens.children.length > shown) tokens.lastChild?.remove();
    while (tokens.children.length < shown) {
      const [left, top] = SPOTS[tokens.children.length];
      tokens.append(h("span", { class: "token", style: { left: `${left}%`, top: `${top}%` } }, icon("food-plant")));
    }
    setText(sum, String(scene.hole));
    setText(caption, captionOf(scene));
    setAttribute(element, "data-phase", scene.phase);
    setAttribute(element, "data-zone", zone ? "food" : null);
    element.classList.toggle("is-lit", lit !== null);
    spot.hidden = lit === null;
    if (lit !== null) setText(spot, lit);
    layCards(scene, names, seat, mine);
  }

  /** @param {EvolutionScene} scene @param {string[]} names @param {number|null} seat @param {number|null} mine */
  function layCards(scene, names, seat, mine) {
    const foodCards = [...scene.food_cards];
    if (mine !== null && seat !== null && !foodCards.some((card) => card.seat === seat))
      foodCards.push({ seat, points: mine });
    /** @type {Map<string, HTMLElement>} */
    const next = new Map();
    foodCards.forEach((card, index) => {
      const own = card.seat === seat;
      const isSecret = own && scene.phase === "choose";
      const key = `${card.seat} ${card.points} ${isSecret}`;
      const piece = cards.get(key) ?? laidCard(card.points, own ? t("hole.yours") : names[card.seat], isSecret);
      piece.style.setProperty("--index", String(index));
      setAttribute(piece, "data-seat", String(card.seat));
      next.set(key, piece);
    });
    laid.style.setProperty("--count", String(foodCards.length));
    cards = next;
    setChildren(laid, [...next.values()]);
  }

  return {
    element,
    update,
    /** @param {number} index */
    token: (index) => tokens.children[index] ?? sum,
    /** @param {number} seat */
    cardOf: (seat) => /** @type {HTMLElement|null} */ (laid.querySelector(`[data-seat="${seat}"]`)),
  };
}

/** @param {EvolutionScene} scene */
function captionOf(scene) {
  if (scene.phase === "choose") return scene.turn > 1 ? t("hole.left") : t("hole.none");
  return scene.hole === 0 ? t("hole.empty") : t("hole.food");
}

/** @param {number|null} points @param {string} whose @param {boolean} isSecret */
function laidCard(points, whose, isSecret) {
  const known = points !== null;
  const label = !known
    ? t("hole.faceDown", { whose })
    : isSecret
      ? t("hole.secretCard", { points: signed(points), whose })
      : t("hole.card", { points: signed(points), whose });
  return h(
    "div",
    { class: `laid ${known ? "known" : ""}`, role: "img", "aria-label": label },
    known ? h("b", { class: "num" }, signed(points)) : icon("card-back"),
    known && icon("food-plant"),
    h("small", null, isSecret ? t("hole.secret") : whose),
  );
}
