// @ts-check
/** Evolution's texts around the table: phases, facts, hints, help and keys. */

import { pluralize, h, formatList } from "/static/js/dom.js";
import { traitCard } from "./trait-card.js";
import { hasDeclared } from "./labels.js";

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
    if (!who.length) return "The dealer is working.";
    if (seat !== null && hasDeclared(scene, seat)) return `You have declared. Waiting for ${formatList(who)}.`;
    const verb = who.length === 1 ? "is" : "are";
    return `${formatList(who)} ${verb} ${scene.phase === "feed" ? "feeding" : "choosing"}.`;
  },

  help: (texts) => [
    {
      title: "The aim",
      lines: [
        "Raise species around one watering hole. At the end, you score the food that your species have eaten, your living " +
          "animals and the traits on your boards.",
        "The game ends when the deck has too few cards for another deal.",
      ],
    },
    {
      title: "A turn",
      lines: [
        "Declare: in secret, each player puts exactly one card into the hole. Its number is how much food it adds or " +
          "removes. Use any other cards for one more animal, a larger body, a new species with up to three traits, or a " +
          "trait that replaces another.",
        "Reveal: the cards are turned over. Then fertile species grow, long necks eat, and stored fat turns into food.",
        "Feed: players take turns. One species eats a token or stores fat, or a hungry carnivore attacks another player’s species.",
        "Count: animals that did not eat die. A species without animals dies out, and its owner draws two cards. The " +
          "food that was eaten goes into the players’ bags.",
      ],
    },
    {
      title: "A board",
      lines: [
        "The track shows the animals: a leaf is a fed animal, a ring a hungry one, and a dot a free slot.",
        "The ruler on the left shows the body size. The acorn shows the fat store.",
        "Hover over a board, or press it, to read about its traits.",
      ],
    },
    {
      title: "An attack",
      lines: [
        "The attacked species loses an animal. If it has horns, the attacker loses one, too. Then the attacker eats from " +
          "the hole, and after it every scavenger.",
        "A carnivore eats only by attacking. A protected species has a shield with the trait that protects it.",
      ],
    },
    { title: "All traits", lines: [], more: h("div", null, h("ul", { class: "trait-list" }, traitsOf(texts))) },
  ],

  keys: [
    ["1 … 9", "choose a card or an option"],
    ["F P B T N", "use the chosen card: food, population, body, trait, new species"],
    ["Arrows", "move between highlighted places, or along a row"],
    ["Enter", "confirm"],
    ["Esc", "cancel"],
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
  isChoice: ({ event, cause }) => CHOICE_EVENTS.includes(event) || (event === "SpeciesFed" && cause === "plants"),
  // The points of a food card that I chose are visible to me; an automatic one lies face down for me, too.
  hasAnswered: (/** @type {EvolutionScene} */ scene, seat) =>
    scene.phase === "choose" && scene.food_cards.some((card) => card.seat === seat && card.points !== null),
};
