// @ts-check
/** Loads the modules, styles and icons of games on demand. This module knows no game by name. */

import { UserFacingError } from "./api.js";
import { defineIcons, h, icon } from "./dom.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").GameModule} GameModule */
/** @typedef {import("./types.js").Manifest} Manifest */
/** @typedef {{name: string, page: Manifest}} ListedGame */

/** One tint for each face in a manifest. */
export const TINTS = ["red", "green", "blue", "yellow"];

/** @type {Map<string, Manifest>} */
const manifests = new Map();

/** The texts of games, by name. @type {Map<string, ReturnType<typeof import("./text.js").translator>>} */
const texts = new Map();

/**
 * Loads a game's module and its styles.
 * @param {Manifest} page
 * @returns {Promise<GameModule>}
 */
export async function loadGame({ name, module, styles, text }) {
  try {
    const [loaded] = await Promise.all([import(module), loadText(name, text), ...styles.map(loadStyle)]);
    return loaded;
  } catch (error) {
    console.error(error);
    throw new UserFacingError(t("error.gameView"));
  }
}

/** @param {string} address @returns {Promise<void>} */
function loadStyle(address) {
  // The server may have added it to the page already.
  if (document.querySelector(`link[rel=stylesheet][href="${CSS.escape(address)}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onerror = () => reject(new Error(`${address} could not be loaded`));
    document.head.append(h("link", { rel: "stylesheet", href: address, onload: () => resolve(), onerror }));
  });
}

/** Loads the texts of a game. @param {string} game @param {string | null} address */
export async function loadText(game, address) {
  if (address && !texts.has(game)) texts.set(game, (await import(address)).t);
}

/**
 * Returns a text of a game whose texts were loaded, or null if the game has none for the key.
 * @param {string} game
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export const gameText = (game, key, values) => texts.get(game)?.find(key, values) ?? null;

/** Loads the icons and texts of several games that one page shows. @param {ListedGame[]} games */
export async function loadIcons(games) {
  await Promise.all(
    games.map(async ({ name, page }) => {
      if (page.icons) defineIcons((await import(page.icons)).ICONS, `${name}/`);
      await loadText(name, page.text);
      manifests.set(name, page);
    }),
  );
}

/** Returns the icon of a game, or the page's own if the game is no longer installed. @param {string} game */
export function gameIcon(game) {
  const picture = manifests.get(game)?.picture;
  return icon(picture ? `${game}/${picture}` : "watering-hole");
}

/**
 * Returns the face of a player, chosen by its position in a list.
 * @param {string} game
 * @param {number} index
 * @param {string} className
 */
export function playerFace(game, index, className) {
  const faces = manifests.get(game)?.faces ?? [];
  const face = faces[index % TINTS.length];
  return h("span", { class: `${className} tint-${TINTS[index % TINTS.length]}` }, icon(face ? `${game}/${face}` : "paw"));
}
