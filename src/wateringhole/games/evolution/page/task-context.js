// @ts-check
/** The interface between the view and the task for an open request. This module contains only types. */

export {};

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {import("./board.js").BoardModel} BoardModel */

/**
 * @typedef {object} TaskContext
 * @property {HTMLElement} root
 * @property {import("./types.js").Texts} texts
 * @property {string[]} names by seat; mine is "You"
 * @property {number} seat mine
 * @property {import("./types.js").EvolutionScene} scene of the open request
 * @property {HTMLElement} left the options
 * @property {HTMLElement} right my draft, or the preview
 * @property {HTMLElement} confirm the main button and the ones next to it
 * @property {import("/static/js/types.js").RequestActions} actions
 * @property {() => void} render redraws everything
 * @property {(seat: number, board: number) => HTMLElement|undefined} boardAt
 * @property {(thing: HTMLElement|null|undefined, text: string) => void} refuse shakes the element and shows the reason
 * @property {ReturnType<typeof import("./choices.js").createChoices>} choices
 */

/**
 * The handling of one request.
 * @typedef {object} Task
 * @property {() => void} renderPanels fills the panels
 * @property {(seat: number, board: number) => Partial<BoardModel>} decorate
 * @property {() => {boards: Board[], order: number[]}|null} draftRow my row as drafted; order lists the boards from left to right
 * @property {() => {chosen: number|null, steps: DraftStep[], asked: boolean}} handState
 * @property {() => {zone: boolean, food: string|null, buy: Record<string, string>, mine: number|null}} openZones
 *   the highlighted zones outside the boards, and the points of my food card
 * @property {(card: number) => void} selectCard a card was pressed
 * @property {(step: number) => void} undoStep removes a step of the draft
 * @property {(board: number, beside: number) => void} moveBoard a board of mine was dropped on another one
 * @property {(seat: number, board: number, byKey: boolean) => void} pressBoard an enabled board was pressed
 * @property {(seat: number, board: number) => boolean} explainBoard any other board was pressed; returns whether there was an explanation
 * @property {(zone: string, board: number|null, thing: HTMLElement, isDrop: boolean) => boolean} useZone
 *   a zone was pressed, or a card dropped on it; returns whether that had a meaning
 * @property {(key: KeyboardEvent) => boolean} handleKey
 * @property {(message: any) => void} onReply
 * @property {() => void} onDisconnect unanswered messages are lost
 * @property {(seat: number, board: number) => Node[]} tooltipNotes for the tooltip of a board
 * @property {() => [hunter: [number, number], target: [number, number]]|null} arrow the boards that the arrow connects
 */
