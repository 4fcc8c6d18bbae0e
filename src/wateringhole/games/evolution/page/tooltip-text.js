// @ts-check
/** The content of the tooltip for a board or a card: its traits with their rules. */

import { h } from "/static/js/dom.js";
import { traitCard } from "./trait-card.js";
import { capitalized } from "/static/js/text.js";
import { speciesName, signed, speciesOf } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("./types.js").Texts} Texts */

/**
 * @param {Texts} texts
 * @param {HTMLElement} target
 * @param {EvolutionScene} scene
 * @param {string[]} names
 * @param {Board[] | null} draft my boards as drafted
 * @param {number | null} me
 * @param {Node[]} notes
 * @returns {Node[] | null}
 */
export function tooltipContent(texts, target, scene, names, draft, me, notes) {
  if (target.matches(".card")) return cardTooltip(texts, scene.own?.hand[Number(target.dataset.card)]);
  if (target.matches(".mini")) return target.dataset.cardTrait ? [traitCard(texts, target.dataset.cardTrait)] : null;
  const seat = Number(target.dataset.seat);
  const index = Number(target.dataset.board);
  const row = seat === me && draft ? draft : scene.players.find((player) => player.seat === seat)?.boards;
  const board = row?.[index];
  if (!board) return null;
  const { food, population, body, fat } = board;
  const fed = board.traits.includes("fat-tissue") ? t("tooltip.fedAndStore", { food, population, body, fat }) : t("board.fed", { food, population, body });
  return [
    ...notes,
    h("h3", null, capitalized(speciesOf(names[seat], speciesName(board)))),
    h("p", { class: "small" }, board.traits.length ? fed : `${fed} ${t("board.noTraitsSentence")}`),
    ...board.traits.map((trait) => traitCard(texts, trait)),
  ];
}

/** @param {Texts} texts @param {Card | undefined} card */
function cardTooltip(texts, card) {
  if (!card) return null;
  const [points, trait] = card;
  return [traitCard(texts, trait), h("p", { class: "small" }, t("tooltip.food", { points: signed(points), count: Math.abs(points) }))];
}
