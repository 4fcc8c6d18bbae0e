// @ts-check
/** The coach of Porrinha: what its remarks mean, what they are about, and the steps of the first game. */

import { t } from "./text.js";

/** @typedef {import("/static/js/types.js").GameCoach} GameCoach */

const STEPS = 6;

/** @type {GameCoach} */
export const coach = {
  explain({ name, values }) {
    const filled = /** @type {any} */ (values);
    const of = /** @type {"guess_after"} */ (name);
    return { title: t(`coach.${of}.title`), look: t(`coach.${of}.look`, filled), why: t(`coach.${of}.why`, filled) };
  },
  warning: () => ({ before: t("warning.before"), anyway: t("warning.anyway") }),
  locate: (subject) => ("part" in subject ? ".ask .numbers" : null),
  lesson({ request, progress }) {
    const isHand = request.request === "hand";
    const round = Math.max(1, Number(request.scene.round ?? 1));
    const number = isHand ? Math.min(1, request.offers.most) : guess(request);
    const light = progress?.chosen === number ? ".ask .main" : `.ask [data-number="${number}"]`;
    const values = { own: String(request.scene.own_hand ?? 0), guess: String(number) };
    // Each of the three rounds has two steps.  A player who does not follow the guide may need more rounds.
    const step = Math.min(STEPS, 2 * round - (isHand ? 1 : 0));
    const name = step === 1 ? "hide" : step === 2 ? "say" : step === 3 ? "again" : step === 4 ? "trust" : "rest";
    const text = t(`first.${name}.text`, /** @type {any} */ (values));
    return { step, steps: STEPS, title: t(`first.${name}.title`), text, light };
  },
};

/** Returns the number in my hand, because the opponent hides nothing, or the next free one. @param {import("/static/js/types.js").RequestMessage} request */
export function guess({ scene, offers }) {
  const free = offers.numbers.filter((/** @type {any} */ each) => each.state !== "taken").map((/** @type {any} */ each) => each.number);
  const own = Number(scene.own_hand ?? 0);
  return free.find((/** @type {number} */ number) => number >= own) ?? free.at(-1);
}
