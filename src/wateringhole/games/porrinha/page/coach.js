// @ts-check
/** The coach of Porrinha: what its remarks mean, what they are about, and the steps of the first game. */

import { STEPS, nextLesson } from "./first-game.js";
import { t } from "./text.js";

/** @typedef {import("/static/js/types.js").GameCoach} GameCoach */

/** @type {GameCoach} */
export const coach = {
  explain({ name, values }) {
    const filled = /** @type {any} */ (values);
    const of = /** @type {"guess_after"} */ (name);
    return { title: t(`coach.${of}.title`), look: t(`coach.${of}.look`, filled), why: t(`coach.${of}.why`, filled) };
  },
  warning: () => ({ before: t("warning.before"), anyway: t("warning.anyway") }),
  locate: (subject) => ("part" in subject ? ".ask .numbers" : null),
  lesson(situation) {
    const { step, name, values, light } = nextLesson(situation);
    const text = t(`first.${name}.text`, /** @type {any} */ (values));
    return { step, steps: STEPS, title: t(`first.${name}.title`), text, light };
  },
};
