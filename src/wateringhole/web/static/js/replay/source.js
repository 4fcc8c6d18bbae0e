// @ts-check
/** The sources of a replay: this file, the server's store, or a file of the user's. */

import { UserFacingError, get, postText } from "../api.js";
import { t } from "../text.js";

/** @typedef {import("../types.js").Replay} Replay */

/** Larger files cannot be records. */
const MAX_FILE_BYTES = 8 << 20;

/** Decodes the replay embedded in a self-contained file: gzip in base64. @returns {Promise<Replay | null>} */
export async function embeddedReplay() {
  const embedded = document.getElementById("replay-data")?.textContent?.trim();
  if (!embedded) return null;
  const bytes = Uint8Array.from(atob(embedded), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** @param {string} game @returns {Promise<Replay>} */
export const storedReplay = (game) => get(`/api/games/${encodeURIComponent(game)}/replay`);

/** @param {File} file @returns {Promise<Replay>} */
export async function replayFromFile(file) {
  if (file.size > MAX_FILE_BYTES) throw new UserFacingError(t("replay.tooLarge", { file: file.name }));
  return postText("/api/replay", await file.text());
}

/** Reads the position from the URL: `#frame=123&eyes=2`. */
export function readPosition() {
  const params = new URLSearchParams(location.hash.slice(1));
  const number = (/** @type {string} */ name) => (/^\d+$/.test(params.get(name) ?? "") ? Number(params.get(name)) : null);
  return { frame: number("frame") ?? 0, viewpoint: number("eyes") };
}

/** Writes the position to the URL. @param {number} frame @param {number|null} viewpoint */
export function writePosition(frame, viewpoint) {
  const hash = `#frame=${frame}${viewpoint === null ? "" : `&eyes=${viewpoint}`}`;
  // Inside a notebook the page has no URL.
  if (location.protocol !== "about:") history.replaceState(null, "", hash);
}
