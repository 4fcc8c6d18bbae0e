// @ts-check
/** What is said about Evolution around the table: phases, facts, one line about now, help, keys. */

import { pluralize, h, formatList } from "/static/js/dom.js";
import { traitCard } from "./trait-card.js";
import { hasDeclared } from "./words.js";

/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("/static/js/types.js").GameEvent} GameEvent */
/** @typedef {import("/static/js/types.js").Guide} Guide */

const FED = /** @type {Record<string, string>} */ ({
  plants: "food-plant",
  meat: "food-meat",
  "long-neck": "long-neck",
  cooperation: "cooperation",
  scavenger: "scavenger",
});

const PICTURES = /** @type {Record<string, string>} */ ({
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
  PlayerPassed: "open-hand",
  FeedingEnded: "watering-hole",
  SpeciesShrank: "population",
  FoodBagged: "food-plant",
  PlayerForfeited: "cross",
  GameEnded: "first-player",
});

/** What comes first of an answer. */
const CHOICES = ["DeclarationApplied", "FatStored", "SpeciesAttacked", "PlayerPassed"];

/** @param {GameEvent} event */
export function eventIcon(event) {
  if (event.event === "SpeciesFed") return FED[event.cause] ?? "food-plant";
  if (event.event === "AnimalLost") return event.cause === "horns" ? "horns" : "population";
  return PICTURES[event.event] ?? null;
}

/** @param {import("./types.js").Texts} texts */
const traitsOf = (texts) => Object.keys(texts.traits ?? {}).map((trait) => h("li", null, traitCard(texts, trait)));

/** @type {Guide} */
export const guide = {
  phases: [
    { name: "choose", title: "Declare" },
    { name: "reveal", title: "Reveal" },
    { name: "feed", title: "Feed" },
    { name: "end", title: "Count" },
  ],

  facts: (/** @type {EvolutionScene} */ scene) => ({
    phase: scene.phase,
    turn: `Turn ${Math.max(scene.turn, 1)}`,
    facts: [{ icon: "card-back", text: String(scene.deck_size), label: `${pluralize(scene.deck_size, "card")} left in the deck` }],
  }),

  hint(scene, names, seat, waiting) {
    const who = waiting.filter((each) => each !== seat).map((each) => names[each]);
    if (!who.length) return "The dealer is at work.";
    if (seat !== null && hasDeclared(scene, seat)) return `You have declared. Waiting for ${formatList(who)}.`;
    const verb = who.length === 1 ? "is" : "are";
    return `${formatList(who)} ${verb} ${scene.phase === "feed" ? "feeding" : "choosing"}.`;
  },

  help: (texts) => [
    {
      title: "The aim",
      lines: [
        "Raise species around one watering hole. At the end you score all food your species have eaten, plus your living " +
          "animals, plus the traits on your boards.",
        "The game is over when the deck cannot supply another deal.",
      ],
    },
    {
      title: "A turn",
      lines: [
        "Declare: in secret, everybody puts exactly one card into the hole (its number is how much food it brings or " +
          "takes) and uses any other cards: one animal more, a larger body, a new species with up to three traits, or a " +
          "trait in place of another.",
        "Reveal: the cards are turned over. Then fertile species grow, long necks eat, and stored fat turns into food.",
        "Feed: in turns, one species eats one token, or stores fat, or a hungry carnivore attacks another player’s species.",
        "Count: animals that did not eat die. A species without animals dies out, and its owner draws two cards. What " +
          "was eaten goes into the bags.",
      ],
    },
    {
      title: "A board",
      lines: [
        "The track: a leaf is a fed animal, a ring a hungry one, a dot a place for one more.",
        "The ruler at the left is the body. The acorn counts the fat store.",
        "Rest on a board, or press it, to read its traits.",
      ],
    },
    {
      title: "An attack",
      lines: [
        "The attacked species loses an animal. Horns cost the attacker one. Then the attacker eats from the hole, and " +
          "after it every scavenger.",
        "A carnivore eats only this way. Protected species carry a shield with the trait that protects them.",
      ],
    },
    { title: "All traits", lines: [], more: h("div", null, h("ul", { class: "trait-list" }, traitsOf(texts))) },
  ],

  keys: [
    ["1 … 9", "a card, or something you can do"],
    ["F P B T N", "card chosen: food, population, body, trait, new species"],
    ["Arrows", "between lit places, or along a row"],
    ["Enter", "do it"],
    ["Esc", "let go"],
    ["Z", "undo"],
  ],

  asks: { declare: "choose your cards", feed: "feed your species", arrange: "put your species in order" },
  parts: { bag: "food eaten", population: "animals", boards: "species", traits: "traits" },
  icon: eventIcon,
  heading: /^(Turn|The cards|Feeding|End of)\b/,
  timeline: {
    name: "food in the hole",
    level: (/** @type {EvolutionScene} */ scene) => scene.hole,
    marks: { SpeciesAttacked: { text: "attack", shape: "loss" }, SpeciesDied: { text: "a species dies out", shape: "end" } },
  },
  isChoice: ({ event, cause }) => CHOICES.includes(event) || (event === "SpeciesFed" && cause === "plants"),
  // I know the card I gave; one that was the only choice lies face down for me, too.
  hasAnswered: (/** @type {EvolutionScene} */ scene, seat) =>
    scene.phase === "choose" && scene.food_cards.some((card) => card.seat === seat && card.points !== null),
};
