// @ts-check
/**
 * A row of boards. It applies events, so that each board on the screen stays the same species when its neighbours die
 * out, are bought or change positions.
 */

import { setChildren, h, setAttribute } from "/static/js/dom.js";
import { createBoard } from "./board.js";

/** @typedef {import("/static/js/types.js").GameEvent} GameEvent */
/** @typedef {import("./types.js").Texts} Texts */
/** @typedef {import("./board.js").BoardModel} BoardModel */
/** @typedef {import("./board.js").BoardPiece} BoardPiece */

/**
 * @typedef {object} Row
 * @property {HTMLElement} element
 * @property {(event: GameEvent) => void} applyEvent applies an event that changes the order of boards
 * @property {(models: BoardModel[], order?: number[]) => void} update order lists the boards in display order
 * @property {(index: number) => HTMLElement|undefined} at
 */

/**
 * @param {Texts} texts
 * @param {number} seat
 * @param {boolean} isBig
 * @returns {Row}
 */
export function createRow(texts, seat, isBig) {
  const element = h("div", { class: isBig ? "row mine" : "row" });
  /** @type {BoardPiece[]} */
  let pieces = [];
  /** @type {Map<BoardPiece, HTMLElement>} */
  const holders = new Map();

  function newPiece() {
    const piece = createBoard(texts, isBig);
    holders.set(piece, h("div", { class: "board-holder" }, piece.element));
    return piece;
  }

  return {
    element,
    at: (index) => pieces[index]?.element,
    applyEvent(event) {
      if (event.event === "SpeciesDied") pieces.splice(event.board, 1);
      else if (event.event === "BoardsArranged")
        pieces = /** @type {number[]} */ (event.order).map((index) => pieces[index] ?? newPiece());
      else if (event.event === "DeclarationApplied") {
        const bought = new Set(/** @type {number[]} */ (event.bought));
        const old = pieces.filter((_, index) => index < event.boards.length - bought.size);
        pieces = event.boards.map((/** @type {any} */ _, /** @type {number} */ index) =>
          bought.has(index) ? newPiece() : (old.shift() ?? newPiece()),
        );
      }
    },
    update(models, order = models.map((_, index) => index)) {
      pieces.length = Math.min(pieces.length, models.length);
      while (pieces.length < models.length) pieces.push(newPiece());
      pieces.forEach((piece, index) => {
        piece.update(models[index]);
        setAttribute(piece.element, "data-seat", String(seat));
        setAttribute(piece.element, "data-board", String(index));
      });
      const visible = order.map((index) => /** @type {HTMLElement} */ (holders.get(pieces[index])));
      for (const piece of holders.keys()) if (!pieces.includes(piece)) holders.delete(piece);
      visible.forEach((holder, index) => {
        const { classList } = pieces[order[index]].element;
        holder.classList.toggle("is-open", ["lit", "aimed", "ready", "acting", "safe"].some((state) => classList.contains(state)));
      });
      element.style.setProperty("--n", String(visible.length));
      setChildren(element, visible);
      updateTabStops(element);
    },
  };
}

/** Makes one board of a row focusable with Tab; the arrow keys move on from there. @param {HTMLElement} row */
function updateTabStops(row) {
  const boards = [.../** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll(".board"))];
  const current = boards.find((board) => board.tabIndex === 0) ?? boards[0];
  for (const board of boards) setAttribute(board, "tabindex", board === current ? "0" : "-1");
}

/** Moves the focus along a row. @param {HTMLElement} board @param {1 | -1} direction */
export function focusNeighbour(board, direction) {
  const row = board.closest(".row");
  const boards = [.../** @type {NodeListOf<HTMLElement>} */ (row?.querySelectorAll(".board") ?? [])];
  const next = boards[boards.indexOf(board) + direction];
  if (!next) return;
  for (const each of boards) each.tabIndex = each === next ? 0 : -1;
  next.focus();
}
