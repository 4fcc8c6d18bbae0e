// @ts-check
/** The coach of Evolution: what its remarks mean, what they are about, and the steps of the first game. */

import { STEPS, boardSelector, nextLesson } from "./first-game.js";
import { t } from "./text.js";

/** @typedef {import("/static/js/types.js").GameCoach} GameCoach */

/** @type {GameCoach} */
export const coach = {
  explain({ name, values }, names) {
    const player = "player" in values ? (names[Number(values.player)] ?? "") : "";
    const filled = /** @type {any} */ ({ ...values, player });
    const of = /** @type {"food"} */ (name);
    return { title: t(`coach.${of}.title`), look: t(`coach.${of}.look`, filled), why: t(`coach.${of}.why`, filled) };
  },
  warning({ name }) {
    const act = name.startsWith("attack") ? "attack" : name === "decline" ? "decline" : "declare";
    return { before: t(`warning.${act}.before`), anyway: t(`warning.${act}.anyway`) };
  },
  locate(subject, seat) {
    if ("card" in subject) return `.hand [data-card="${subject.card}"]`;
    if ("board" in subject) return boardSelector(Number(subject.seat ?? seat), Number(subject.board));
    return null;
  },
  lesson(situation) {
    const next = nextLesson(situation);
    return next && { step: next.step, steps: STEPS, title: t(`first.${next.name}.title`), text: t(`first.${next.name}.text`), light: next.light };
  },
};
