// @ts-check
/**
 * Evolution's data on the page. This module contains only types.
 *
 * Seats count from 0. A board is identified by its seat and its current index in the row.
 */

export {};

/** @typedef {import("/static/js/types.js").GameEvent} GameEvent */

/** @typedef {{traits?: Record<string, TraitText>}} Texts */
/** @typedef {{name: string, text: string, family: Family}} TraitText */
/** @typedef {"defence"|"hunting"|"feeding"|"growth"} Family */

/** @typedef {[points: number, trait: string]} Card */

/**
 * @typedef {object} Board
 * @property {number} population
 * @property {number} body
 * @property {number} food
 * @property {string[]} traits
 * @property {number} fat
 */

/**
 * @typedef {object} SeatedPlayer
 * @property {number} seat
 * @property {Board[]} boards
 * @property {number} hand_size
 * @property {Card[]} [hand] in a replay
 * @property {number} [bag] in a replay
 */

/**
 * @typedef {object} EvolutionScene
 * @property {number|null} seat
 * @property {number} turn
 * @property {number} hole
 * @property {number} deck_size
 * @property {SeatedPlayer[]} players in turn order
 * @property {{boards: Board[], hand: Card[], bag: number}|null} own
 * @property {Card[]} pile
 * @property {"choose"|"reveal"|"feed"|"end"} phase
 * @property {number[]} acting
 * @property {{seat: number, points: number|null}[]} food_cards
 * @property {number[]} out
 */

/**
 * @typedef {object} DraftStep
 * @property {"food"|"buy"|"lay"|"replace"|"population"|"body"} step
 * @property {number} card index in the hand
 * @property {number} [board] in the draft's boards
 * @property {number} [slot]
 * @property {"left"|"right"|null} [side]
 * @property {string} [text]
 */

/**
 * @typedef {object} Draft
 * @property {DraftStep[]} steps
 * @property {DraftStep[]} offers
 * @property {Board[]} boards mine, then the bought ones
 * @property {number[]} places the future position of each board
 * @property {string|null} missing
 * @property {any} answer null while something is missing
 * @property {{rule: string, message: string}|null} refused
 */

/**
 * @typedef {object} FeedOption
 * @property {any} answer
 * @property {"eat"|"store"|"attack"} type
 * @property {number} board
 * @property {number} [most] tokens that can be stored now
 * @property {number} [room] in the store
 * @property {number} [seat]
 * @property {number} [target]
 * @property {string} text
 * @property {string} [effect]
 * @property {string} [loss]
 */

/**
 * @typedef {object} SafeTarget
 * @property {number} board my attacker
 * @property {number} seat
 * @property {number} target
 * @property {string} trait
 * @property {{seat: number, board: number}|null} protector
 * @property {string} text
 */

/**
 * @typedef {object} FeedOffers
 * @property {FeedOption[]} options
 * @property {SafeTarget[]} safe
 * @property {{board: number, text: string}[]} full
 * @property {{answer: any, text: string, final: boolean}|null} decline
 */

/** @typedef {{event: GameEvent, text: string[], scene: EvolutionScene}} PreviewStep */

/** @typedef {{type: "draft", id: number} & Draft} DraftMessage */
/** @typedef {{type: "preview", id: number, answer: any, steps: PreviewStep[]}} PreviewMessage */
