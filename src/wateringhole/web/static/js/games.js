// @ts-check
/** The games that this page can draw. */

import { createBoardView as evolutionView, guide as evolutionGuide } from "/games/evolution/view.js";
import { createBoardView as porrinhaView, guide as porrinhaGuide } from "/games/porrinha/view.js";

/** @typedef {import("./types.js").BoardView} BoardView */
/** @typedef {import("./types.js").BoardViewOptions} BoardViewOptions */
/** @typedef {import("./types.js").Guide} Guide */
/** @typedef {{createBoardView: (root: HTMLElement, options: BoardViewOptions) => BoardView, guide: Guide}} GameOnPage */

/** @type {Record<string, GameOnPage>} */
const GAMES = {
  evolution: { createBoardView: evolutionView, guide: evolutionGuide },
  porrinha: { createBoardView: porrinhaView, guide: porrinhaGuide },
};

/** @param {string} name */
export function gameOf(name) {
  const game = GAMES[name];
  if (!game) throw new Error(`this page cannot draw ${name}`);
  return game;
}
