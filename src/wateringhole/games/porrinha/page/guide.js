// @ts-check
/** Porrinha's texts around the table: phases, facts, hints, help and keys. */

import { formatList } from "/static/js/text.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").PorrinhaScene} Scene */
/** @typedef {import("/static/js/types.js").Guide} Guide */

/** @type {Record<string, string>} */
const EVENT_ICONS = {
  RoundStarted: "fist",
  GuessSaid: "call",
  RoundSettled: "open-hand",
  GameEnded: "stick",
};

/** @type {Guide} */
export const guide = {
  phases: [
    { name: "hide", title: t("phase.hide") },
    { name: "guess", title: t("phase.guess") },
    { name: "open", title: t("phase.open") },
  ],
  facts(/** @type {Scene} */ scene) {
    return {
      phase: scene.phase,
      turn: t("turn.title", { number: scene.round }),
      facts: [{ icon: "stick", text: String(scene.table), label: t("fact.sticks", { count: scene.table }) }],
    };
  },
  hint(/** @type {Scene} */ scene, names, seat, waiting) {
    if (scene.phase === "end") return t("hint.over");
    const others = waiting.filter((other) => other !== seat).map((other) => names[other] ?? "");
    if (others.length === 0) return scene.phase === "open" ? t("hint.open") : t("hint.continues");
    const who = { names: formatList(others), count: others.length };
    return scene.phase === "hide" ? t("hint.hiding", who) : t("hint.guessing", who);
  },
  help: () => [
    {
      title: t("help.aim"),
      lines: [
        t("help.aim1"),
        t("help.aim2"),
      ],
    },
    {
      title: t("help.round"),
      lines: [
        t("help.round1"),
        t("help.round2"),
        t("help.round3"),
      ],
    },
    {
      title: t("help.bluffing"),
      lines: [t("help.bluffing1")],
    },
  ],
  keys: [
    ["0 … 9", t("keys.number")],
    ["← →", t("keys.arrows")],
    ["Enter", t("keys.confirm")],
  ],
  asks: { hand: t("ask.hand"), guess: t("ask.guess") },
  parts: { sticks: t("part.sticks") },
  heading: new RegExp(`^(?:${t("log.headings")})\\b`),
  timeline: {
    name: t("timeline.sticks"),
    level: (/** @type {Scene} */ scene) => scene.table,
    marks: { RoundSettled: { text: t("timeline.correct"), shape: "good", when: (/** @type {Scene} */ scene) => scene.winner !== null } },
  },
  icon: (event) => EVENT_ICONS[event.event] ?? null,
};
