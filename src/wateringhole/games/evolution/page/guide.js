// @ts-check
/** Evolution's texts around the table: phases, facts, hints, help and keys. */

import { h } from "/static/js/dom.js";
import { formatList } from "/static/js/text.js";
import { traitCard } from "./trait-card.js";
import { hasDeclared } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("/static/js/types.js").GameEvent} GameEvent */
/** @typedef {import("/static/js/types.js").Guide} Guide */

const FOOD_ICONS = /** @type {Record<string, string>} */ ({
  plants: "food-plant",
  meat: "food-meat",
  "long-neck": "long-neck",
  cooperation: "cooperation",
  scavenger: "scavenger",
});

const EVENT_ICONS = /** @type {Record<string, string>} */ ({
  TurnStarted: "first-player",
  BoardGiven: "population",
  CardsDrawn: "card-back",
  DeckReshuffled: "card-back",
  BoardsArranged: "swap",
  DeclarationApplied: "card-back",
  FoodRevealed: "watering-hole",
  FoodCut: "watering-hole",
  SpeciesGrew: "fertile",
  FatBurned: "fat-tissue",
  FatStored: "fat-store",
  SpeciesAttacked: "carnivore",
  SpeciesDied: "cross",
  SpeciesChanged: "custom-trait",
  WateringHoleChanged: "custom-trait",
  PlayerPassed: "open-hand",
  FeedingEnded: "watering-hole",
  SpeciesShrank: "population",
  FoodBagged: "food-plant",
  PlayerForfeited: "cross",
  GameEnded: "first-player",
});

/** The first events that an answer causes. */
const CHOICE_EVENTS = ["DeclarationApplied", "FatStored", "SpeciesAttacked", "PlayerPassed"];

/** @param {GameEvent} event */
export function eventIcon(event) {
  if (event.event === "SpeciesFed") return FOOD_ICONS[event.cause] ?? "food-plant";
  if (event.event === "AnimalLost") return event.cause === "horns" ? "horns" : "population";
  return EVENT_ICONS[event.event] ?? null;
}

/** @param {import("./types.js").Texts} texts */
const traitsOf = (texts) => Object.keys(texts.traits ?? {}).map((trait) => h("li", null, traitCard(texts, trait)));

/** @type {Guide} */
export const guide = {
  phases: [
    { name: "choose", title: t("phase.choose") },
    { name: "reveal", title: t("phase.reveal") },
    { name: "feed", title: t("phase.feed") },
    { name: "end", title: t("phase.end") },
  ],

  facts: (/** @type {EvolutionScene} */ scene) => ({
    phase: scene.phase,
    turn: t("turn.title", { number: Math.max(scene.turn, 1) }),
    facts: [{ icon: "card-back", text: String(scene.deck_size), label: t("fact.deck", { count: scene.deck_size }) }],
  }),

  hint(scene, names, seat, waiting) {
    const who = waiting.filter((each) => each !== seat).map((each) => names[each]);
    if (!who.length) return t("hint.dealer");
    if (seat !== null && hasDeclared(scene, seat)) return t("hint.declared", { names: formatList(who) });
    const others = { names: formatList(who), count: who.length };
    return scene.phase === "feed" ? t("hint.feeding", others) : t("hint.choosing", others);
  },

  help: (texts) => [
    { title: t("help.aim"), lines: [t("help.aim1"), t("help.aim2")] },
    { title: t("help.turn"), lines: [t("help.turn1"), t("help.turn2"), t("help.turn3"), t("help.turn4")] },
    { title: t("help.board"), lines: [t("help.board1"), t("help.board2"), t("help.board3")] },
    { title: t("help.attack"), lines: [t("help.attack1"), t("help.attack2")] },
    { title: t("help.traits"), lines: [], more: h("div", null, h("ul", { class: "trait-list" }, traitsOf(texts))) },
  ],

  keys: [
    ["1 … 9", t("keys.number")],
    ["F P B T N", t("keys.uses")],
    [t("keys.arrows"), t("keys.move")],
    ["Enter", t("keys.confirm")],
    ["Esc", t("keys.cancel")],
    ["Z", t("keys.undo")],
  ],

  asks: { declare: t("ask.declare"), feed: t("ask.feed"), arrange: t("ask.arrange") },
  parts: { bag: t("part.bag"), population: t("part.population"), boards: t("part.boards"), traits: t("part.traits") },
  icon: eventIcon,
  heading: new RegExp(`^(?:${t("log.headings")})\\b`),
  timeline: {
    name: t("hole.food"),
    level: (/** @type {EvolutionScene} */ scene) => scene.hole,
    marks: { SpeciesAttacked: { text: t("timeline.attack"), shape: "loss" }, SpeciesDied: { text: t("timeline.died"), shape: "end" } },
  },
  isChoice: ({ event, cause }) => CHOICE_EVENTS.includes(event) || (event === "SpeciesFed" && cause === "plants"),
  // The points of a food card that I chose are visible to me; an automatic one lies face down for me, too.
  hasAnswered: (/** @type {EvolutionScene} */ scene, seat) =>
    scene.phase === "choose" && scene.food_cards.some((card) => card.seat === seat && card.points !== null),
};
