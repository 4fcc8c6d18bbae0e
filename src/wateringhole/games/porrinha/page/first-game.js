// @ts-check
/** The steps of the first game: what to do next, and what to press for it. No texts and no drawing. */

/** @typedef {import("/static/js/types.js").RequestMessage} RequestMessage */

export const STEPS = 6;

/** @param {{request: RequestMessage, progress: {chosen: number | null} | null}} situation */
export function nextLesson({ request, progress }) {
  const isHand = request.request === "hand";
  const round = Math.max(1, Number(request.scene.round ?? 1));
  const number = isHand ? Math.min(1, request.offers.most) : guess(request);
  const light = progress?.chosen === number ? ".ask .main" : `.ask [data-number="${number}"]`;
  const values = { own: String(request.scene.own_hand ?? 0), guess: String(number) };
  // Each of the three rounds has two steps. A player who does not follow the guide may need more rounds.
  const step = Math.min(STEPS, 2 * round - (isHand ? 1 : 0));
  const name = /** @type {const} */ (["hide", "say", "again", "trust"])[step - 1] ?? "rest";
  return { step, name, values, light };
}

/** Returns the number in my hand, because the opponent hides nothing, or the next free one. @param {RequestMessage} request */
export function guess({ scene, offers }) {
  const free = offers.numbers.filter((/** @type {any} */ each) => each.state !== "taken").map((/** @type {any} */ each) => each.number);
  const own = Number(scene.own_hand ?? 0);
  return free.find((/** @type {number} */ number) => number >= own) ?? free.at(-1);
}
