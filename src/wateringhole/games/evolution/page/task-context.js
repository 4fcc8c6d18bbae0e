// @ts-check
/** What the view lends to whoever asks me something at this table, and what it wants to know from it. Types only. */

export {};

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {import("./board.js").BoardModel} BoardModel */

/**
 * @typedef {object} Stage
 * @property {HTMLElement} root
 * @property {import("./types.js").Texts} texts
 * @property {string[]} names by seat; mine is "You"
 * @property {number} seat mine
 * @property {import("./types.js").EvolutionScene} scene as it is while I am asked
 * @property {HTMLElement} left what I can do
 * @property {HTMLElement} right my draft, or what would follow
 * @property {HTMLElement} confirm the main button and its neighbours
 * @property {import("/static/js/types.js").RequestActions} actions
 * @property {() => void} render draws everything again
 * @property {(seat: number, board: number) => HTMLElement|undefined} boardAt
 * @property {(thing: HTMLElement|null|undefined, text: string) => void} refuse shakes it and says why not
 * @property {ReturnType<typeof import("./choices.js").createChoices>} choices
 */

/**
 * Something I am asked.
 * @typedef {object} Task
 * @property {() => void} paint fills the panels
 * @property {(seat: number, board: number) => Partial<BoardModel>} decorate
 * @property {() => {boards: Board[], places: number[]}|null} row mine as I am about to make it; places: from left to right
 * @property {() => {chosen: number|null, steps: DraftStep[], asked: boolean}} hand
 * @property {() => {zone: boolean, food: string|null, buy: Record<string, string>, mine: number|null}} places
 *   lit beside the boards, and the points of my food card
 * @property {(card: number) => void} card pressed
 * @property {(step: number) => void} takeBack a step of the draft
 * @property {(board: number, beside: number) => void} move a board of mine was dropped on another
 * @property {(seat: number, board: number, byKey: boolean) => void} press a board that can be pressed
 * @property {(seat: number, board: number) => boolean} touch a board that cannot; whether there was something to say
 * @property {(zone: string, board: number|null, thing: HTMLElement, isDrop: boolean) => boolean} zone
 *   a place was pressed, or a card dropped there; whether that meant something
 * @property {(key: KeyboardEvent) => boolean} key
 * @property {(message: any) => void} onReply
 * @property {() => void} onDisconnect what was sent and not answered is gone
 * @property {(seat: number, board: number) => Node[]} remarks for the bubble of a board
 * @property {() => [hunter: [number, number], target: [number, number]]|null} aim for the arrow
 */
