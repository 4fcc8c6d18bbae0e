// @ts-check
/** The animation of an event: before the scene is drawn, after it, and the pause that follows. */

import { h, icon } from "/static/js/dom.js";

/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("/static/js/types.js").GameEvent} GameEvent */

/**
 * @typedef {object} Props
 * @property {ReturnType<typeof import("./motion.js").createMotion>} motion
 * @property {ReturnType<typeof import("./hole.js").createHole>} hole
 * @property {(seat: number, board: number) => HTMLElement|undefined} boardAt
 * @property {(seat: number) => HTMLElement|undefined} headOf the header of a player
 */

/** Time to read what happened, in milliseconds. */
const PAUSE_MS = /** @type {Record<string, number>} */ ({
  TurnStarted: 500,
  DeclarationApplied: 650,
  FoodRevealed: 350,
  SpeciesGrew: 350,
  FatBurned: 350,
  SpeciesFed: 300,
  FatStored: 300,
  SpeciesAttacked: 700,
  AnimalLost: 350,
  SpeciesDied: 160,
  SpeciesChanged: 350,
  WateringHoleChanged: 300,
  PlayerPassed: 450,
  FeedingEnded: 400,
  SpeciesShrank: 200,
  PlayerForfeited: 900,
});

const MAX_FLYING = 6;

/** @param {Props} props */
export function createEventAnimation({ motion, hole, boardAt, headOf }) {
  /** @param {GameEvent} event */
  const board = (event) => boardAt(event.seat ?? -1, event.board);
  /** @param {Element | undefined} piece @param {string} part */
  const partOf = (piece, part) => piece?.querySelector(part) ?? piece;

  /** @type {Record<string, (event: GameEvent, before: EvolutionScene) => Promise<unknown>>} */
  const beforeDraw = {
    SpeciesFed: (event, before) =>
      motion.flyTokens((index) => hole.token(before.hole - 1 - index), partOf(board(event), ".slot.hungry"), event.tokens),
    FatStored: (event, before) =>
      motion.flyTokens((index) => hole.token(before.hole - 1 - index), partOf(board(event), ".store"), event.tokens),
    FatBurned: (event) =>
      motion.flyTokens(() => partOf(board(event), ".store"), partOf(board(event), ".slot.hungry"), event.tokens),
    AnimalLost: (event) => motion.shake(board(event)),
    SpeciesDied: (event) => motion.fade(board(event)),
    FoodBagged: (event, before) => {
      const row = before.players.find((player) => player.seat === event.seat)?.boards ?? [];
      const from = row.flatMap((each, index) => Array.from({ length: each.food }, () => boardAt(event.seat ?? -1, index)));
      return motion.flyTokens((index) => from[index], headOf(event.seat ?? -1), Math.min(from.length, MAX_FLYING));
    },
  };

  /** @type {Record<string, (event: GameEvent) => Promise<unknown> | void>} */
  const afterDraw = {
    SpeciesAttacked: (event) => motion.shake(boardAt(event.target_seat, event.target)),
    FoodRevealed: (event) => motion.flip(hole.cardOf(event.seat ?? -1)),
    DeclarationApplied: (event) => {
      const replaced = /** @type {{board: number}[]} */ (event.replaced).map((each) => each.board);
      const changed = [...event.bought, ...event.population, ...event.body, ...replaced];
      for (const index of new Set(changed)) motion.outline(boardAt(event.seat ?? -1, index));
    },
    BoardGiven: (event) => motion.appear([...(headOf(event.seat ?? -1)?.parentElement?.querySelectorAll(".board") ?? [])].at(-1)),
    SpeciesGrew: (event) => motion.outline(board(event)),
    SpeciesChanged: (event) => motion.outline(board(event)),
    SpeciesShrank: (event) => motion.outline(board(event)),
  };

  return {
    /** Moves a player's food card to the hole, face down. @param {number} seat */
    layFoodCard: (seat) => motion.fly(headOf(seat), hole.element, h("span", { class: "laid" }, icon("card-back"))),
    /** @param {GameEvent} event @param {EvolutionScene} before */
    before: async (event, before) => beforeDraw[event.event]?.(event, before),
    /** @param {GameEvent} event */
    async after(event) {
      await afterDraw[event.event]?.(event);
      if (PAUSE_MS[event.event]) await motion.pause(PAUSE_MS[event.event]);
    },
  };
}

/** Returns whether an event belongs to a running attack. @param {GameEvent} event */
export const isPartOfAttack = (event) =>
  event.event === "AnimalLost" || (event.event === "SpeciesFed" && ["meat", "scavenger", "cooperation"].includes(event.cause));
