// @ts-check
/** What the table's frame needs to know of Porrinha: its phases, facts, hints, help and keys. */

import { pluralize, formatList } from "/static/js/dom.js";

/** @typedef {import("./types.js").PorrinhaScene} Scene */
/** @typedef {import("/static/js/types.js").Guide} Guide */

/** @type {Record<string, string>} */
const ICON_OF_EVENT = {
  RoundStarted: "fist",
  GuessSaid: "call",
  RoundSettled: "open-hand",
  GameEnded: "stick",
};

/** @type {Guide} */
export const guide = {
  phases: [
    { name: "hide", title: "Hands" },
    { name: "guess", title: "Guesses" },
    { name: "open", title: "Open" },
  ],
  facts(/** @type {Scene} */ scene) {
    return {
      phase: scene.phase,
      turn: `Round ${scene.round}`,
      facts: [{ icon: "stick", text: String(scene.table), label: `${pluralize(scene.table, "stick")} at the table` }],
    };
  },
  hint(/** @type {Scene} */ scene, names, seat, waiting) {
    if (scene.phase === "end") return "The game is over.";
    const others = waiting.filter((other) => other !== seat).map((other) => names[other] ?? "");
    if (others.length === 0) return scene.phase === "open" ? "The hands open." : "The round goes on.";
    const activity = scene.phase === "hide" ? "hiding sticks" : "thinking of a sum";
    return `${formatList(others)} ${others.length === 1 ? "is" : "are"} ${activity}.`;
  },
  help: () => [
    {
      title: "The aim",
      lines: [
        "Get rid of your sticks. Whoever guesses the sum of all hidden sticks gives up one of theirs.",
        "Who has no stick left is safe and out of the game. The last one holding sticks loses.",
      ],
    },
    {
      title: "A round",
      lines: [
        "Everybody hides some of their sticks in a fist: none, some or all.",
        "In turn, each says a sum that nobody has said before. Your guess also tells the others something of your hand.",
        "The hands open. Who was right gives up a stick and leads the next round.",
      ],
    },
    {
      title: "Bluffing",
      lines: ["Hatched numbers cannot be the sum, because you know your own hand. You may say them to mislead the others."],
    },
  ],
  keys: [
    ["0 … 9", "choose a number"],
    ["← →", "move between free numbers"],
    ["Enter", "do it"],
  ],
  asks: { hand: "hide some sticks", guess: "say a sum" },
  parts: { sticks: "Sticks left" },
  heading: /^Round\b/,
  timeline: {
    name: "sticks at the table",
    level: (/** @type {Scene} */ scene) => scene.table,
    marks: { RoundSettled: { text: "a right guess", shape: "good", when: (/** @type {Scene} */ scene) => scene.winner !== null } },
  },
  icon: (event) => ICON_OF_EVENT[event.event] ?? null,
};
