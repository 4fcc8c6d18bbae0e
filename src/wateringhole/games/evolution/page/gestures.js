// @ts-check
/** Mouse, touch and keyboard input on the table; every gesture ends in a call of the current task. */

import { enableDragging } from "./drag.js";
import { focusNextLit } from "./lit-navigation.js";
import { focusNeighbour } from "./row.js";

/** @typedef {import("./task-context.js").Task} Task */

/**
 * @param {HTMLElement} root
 * @param {() => Task | null} current
 * @param {ReturnType<typeof import("./tooltip.js").createTooltip>} tooltip
 * @param {ReturnType<typeof import("./choices.js").createChoices>} choices
 * @returns {(event: KeyboardEvent) => boolean} handles a key; returns whether it had a meaning
 */
export function enableGestures(root, current, tooltip, choices) {
  root.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const task = current();
    const wasOpen = tooltip.isOpen();
    tooltip.hide();
    if (!choices.contains(target)) choices.close();
    const board = closest(target, ".board");
    const card = closest(target, "[data-card], [data-step]");
    const zone = closest(target, "[data-zone]");
    if (task && card) return pressCard(task, card);
    if (task && zone && task.useZone(zone.dataset.zone ?? "", boardIndex(board), zone, false)) return;
    if (task && board) {
      const seat = Number(board.dataset.seat);
      const target = Number(board.dataset.board);
      if (board.querySelector(".press")) return task.pressBoard(seat, target, event.detail === 0);
      if (task.explainBoard(seat, target)) return;
    }
    const explained = closest(target, ".board, .card, .mini");
    if (explained && !wasOpen) tooltip.explain(explained);
  });

  enableDragging(root, {
    selector: ".hand .card, .board.movable",
    onLift(element) {
      const task = current();
      if (!task) return false;
      tooltip.hide();
      if (element.dataset.card !== undefined && !element.classList.contains("chosen")) task.selectCard(Number(element.dataset.card));
      return true;
    },
    onHover(target) {
      for (const lit of root.querySelectorAll(".over")) lit.classList.remove("over");
      target?.closest("[data-zone]")?.classList.add("over");
    },
    onDrop(element, target) {
      const zone = closest(target, "[data-zone]");
      const board = closest(target, ".board");
      if (element.dataset.card !== undefined && zone) current()?.useZone(zone.dataset.zone ?? "", boardIndex(board), zone, true);
      else if (element.matches(".movable") && board?.matches(".movable"))
        current()?.moveBoard(Number(element.dataset.board), Number(board.dataset.board));
    },
  });

  return (event) => {
    const { key } = event;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const board = focused?.matches(".board") ? focused : null;
    if (current()?.handleKey(event)) return true;
    if (key === "Escape" && tooltip.isOpen()) tooltip.hide();
    else if (board && (key === "ArrowLeft" || key === "ArrowRight")) focusNeighbour(board, key === "ArrowRight" ? 1 : -1);
    else if (key.startsWith("Arrow") && focusNextLit(root, key)) return true;
    else if (board && key === "Enter") board.click();
    else return false;
    return true;
  };
}

/** @param {Element | null} target @param {string} selector */
const closest = (target, selector) => /** @type {HTMLElement | null} */ (target?.closest(selector) ?? null);

/** @param {HTMLElement | null} board */
const boardIndex = (board) => (board ? Number(board.dataset.board) : null);

/**
 * Selects a card of the hand, or undoes the step of a used card.
 * @param {Task} task
 * @param {HTMLElement} card
 */
function pressCard(task, card) {
  if (card.dataset.card !== undefined) task.selectCard(Number(card.dataset.card));
  else task.undoStep(Number(card.dataset.step));
}
