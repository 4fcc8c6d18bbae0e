// @ts-check
/** Where a replay comes from: embedded in this very file, the server's store, or a file of the reader's. */

import { Problem, get, postText } from "../api.js";

/** @typedef {import("../types.js").Replay} Replay */

/** A record larger than this is none of ours. */
const LARGEST_FILE = 8 << 20;

/** The replay that a self-contained file carries: base64 of gzip. @returns {Promise<Replay | null>} */
export async function embeddedReplay() {
  const carried = document.getElementById("replay-data")?.textContent?.trim();
  if (!carried) return null;
  const bytes = Uint8Array.from(atob(carried), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(unpacked).text());
}

/** @param {string} game @returns {Promise<Replay>} */
export const storedReplay = (game) => get(`/api/games/${encodeURIComponent(game)}/replay`);

/** @param {File} file @returns {Promise<Replay>} */
export async function replayOfFile(file) {
  if (file.size > LARGEST_FILE) throw new Problem(`${file.name} is too large for a record of one game.`);
  return postText("/api/replay", await file.text());
}

/** The moment that an address names: `#frame=123&eyes=2`. */
export function namedMoment() {
  const words = new URLSearchParams(location.hash.slice(1));
  const number = (/** @type {string} */ name) => (/^\d+$/.test(words.get(name) ?? "") ? Number(words.get(name)) : null);
  return { frame: number("frame") ?? 0, eyes: number("eyes") };
}

/** @param {number} frame @param {number|null} eyes */
export function nameMoment(frame, eyes) {
  const words = `#frame=${frame}${eyes === null ? "" : `&eyes=${eyes}`}`;
  // The viewer of a notebook has no address of its own.
  if (location.protocol !== "about:") history.replaceState(null, "", words);
}
