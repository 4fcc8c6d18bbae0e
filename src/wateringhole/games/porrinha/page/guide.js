// @ts-check
/** Porrinha's texts around the table: phases, facts, hints, help and keys. */

import { formatList, pluralize } from "/static/js/dom.js";

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
    if (others.length === 0) return scene.phase === "open" ? "The hands open." : "The round continues.";
    const activity = scene.phase === "hide" ? "hiding sticks" : "guessing the sum";
    return `${formatList(others)} ${others.length === 1 ? "is" : "are"} ${activity}.`;
  },
  help: () => [
    {
      title: "The aim",
      lines: [
        "Get rid of your sticks. The player who guesses the sum of all hidden sticks gives up one stick.",
        "A player with no sticks left is safe and leaves the game. The last player with sticks loses.",
      ],
    },
    {
      title: "A round",
      lines: [
        "Each player hides none, some or all of their sticks in a fist.",
        "In turn, each player guesses a sum that has not been guessed yet. Your guess is also a clue to your hand.",
        "The hands open. The player who was right gives up a stick and leads the next round.",
      ],
    },
    {
      title: "Bluffing",
      lines: ["Hatched numbers can’t be the sum, because you know your own hand. You can still guess them to mislead the others."],
    },
  ],
  keys: [
    ["0 … 9", "choose a number"],
    ["← →", "move between free numbers"],
    ["Enter", "confirm"],
  ],
  asks: { hand: "hide some sticks", guess: "guess the sum" },
  parts: { sticks: "Sticks left" },
  heading: /^Round\b/,
  timeline: {
    name: "sticks at the table",
    level: (/** @type {Scene} */ scene) => scene.table,
    marks: { RoundSettled: { text: "a correct guess", shape: "good", when: (/** @type {Scene} */ scene) => scene.winner !== null } },
  },
  icon: (event) => EVENT_ICONS[event.event] ?? null,
};
