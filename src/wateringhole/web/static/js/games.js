// @ts-check
/** What games bring along, loaded when a page needs it. No game is known here by name. */

import { Problem } from "./api.js";
import { defineIcons, h, icon } from "./dom.js";

/** @typedef {import("./types.js").GameModule} GameModule */
/** @typedef {import("./types.js").Manifest} Manifest */
/** @typedef {{name: string, page: Manifest}} ShownGame */

/** One for each face that a manifest names. */
export const TINTS = ["red", "green", "blue", "yellow"];

/** @type {Map<string, Manifest>} */
const shown = new Map();

/**
 * Loads a game's module, with its styles in place.
 * @param {Manifest} page
 * @returns {Promise<GameModule>}
 */
export async function loadGame({ module, styles }) {
  try {
    const [loaded] = await Promise.all([import(module), ...styles.map(loadStyle)]);
    return loaded;
  } catch (failure) {
    console.error(failure);
    throw new Problem("The view of this game could not be loaded. Reload the page to try again.");
  }
}

/** @param {string} address @returns {Promise<void>} */
function loadStyle(address) {
  // The server may have put it into the page already.
  if (document.querySelector(`link[rel=stylesheet][href="${CSS.escape(address)}"]`)) return Promise.resolve();
  return new Promise((done, fail) => {
    const failed = () => fail(new Error(`${address} cannot be loaded`));
    document.head.append(h("link", { rel: "stylesheet", href: address, onload: () => done(), onerror: failed }));
  });
}

/** Loads the pictures of games that a page shows side by side. @param {ShownGame[]} games */
export async function loadIcons(games) {
  await Promise.all(
    games.map(async ({ name, page }) => {
      if (page.icons) defineIcons((await import(page.icons)).ICONS, `${name}/`);
      shown.set(name, page);
    }),
  );
}

/** The picture of a game; one that is not installed any more has the page's own. @param {string} game */
export function gamePicture(game) {
  const picture = shown.get(game)?.picture;
  return icon(picture ? `${game}/${picture}` : "watering-hole");
}

/**
 * The face of a player, by its place in a list.
 * @param {string} game
 * @param {number} place
 * @param {string} kind a class
 */
export function gameFace(game, place, kind) {
  const faces = shown.get(game)?.faces ?? [];
  const face = faces[place % TINTS.length];
  return h("span", { class: `${kind} tint-${TINTS[place % TINTS.length]}` }, icon(face ? `${game}/${face}` : "paw"));
}
