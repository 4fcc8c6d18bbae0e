// @ts-check
/** Pointer, finger and keyboard on the table: every gesture ends in the same few calls upon the task under way. */

import { enableDragging } from "./drag.js";
import { moveAmongLit } from "./lit-navigation.js";
import { stepAlong } from "./row.js";

/** @typedef {import("./task-context.js").Task} Task */

/**
 * @param {HTMLElement} root
 * @param {() => Task | null} current
 * @param {ReturnType<typeof import("./tooltip.js").createTip>} tip
 * @param {ReturnType<typeof import("./choices.js").createChoices>} choices
 * @returns {(event: KeyboardEvent) => boolean} takes a key; whether it meant something
 */
export function enableGestures(root, current, tip, choices) {
  root.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const task = current();
    const wasTold = tip.isOpen();
    tip.hide();
    if (!choices.contains(target)) choices.close();
    const board = near(target, ".board");
    const card = near(target, "[data-card], [data-step]");
    const zone = near(target, "[data-zone]");
    if (task && card) return pressCard(task, card);
    if (task && zone && task.zone(zone.dataset.zone ?? "", placeOf(board), zone, false)) return;
    if (task && board) {
      const seat = Number(board.dataset.seat);
      const place = Number(board.dataset.board);
      if (board.querySelector(".press")) return task.press(seat, place, event.detail === 0);
      if (task.touch(seat, place)) return;
    }
    const explained = near(target, ".board, .card, .mini");
    if (explained && !wasTold) tip.explain(explained);
  });

  enableDragging(root, {
    things: ".hand .card, .board.movable",
    lift(thing) {
      const task = current();
      if (!task) return false;
      tip.hide();
      if (thing.dataset.card !== undefined && !thing.classList.contains("chosen")) task.card(Number(thing.dataset.card));
      return true;
    },
    hover(place) {
      for (const lit of root.querySelectorAll(".over")) lit.classList.remove("over");
      place?.closest("[data-zone]")?.classList.add("over");
    },
    drop(thing, place) {
      const zone = near(place, "[data-zone]");
      const board = near(place, ".board");
      if (thing.dataset.card !== undefined && zone) current()?.zone(zone.dataset.zone ?? "", placeOf(board), zone, true);
      else if (thing.matches(".movable") && board?.matches(".movable"))
        current()?.move(Number(thing.dataset.board), Number(board.dataset.board));
    },
  });

  return (event) => {
    const { key } = event;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const board = focused?.matches(".board") ? focused : null;
    if (current()?.key(event)) return true;
    if (key === "Escape" && tip.isOpen()) tip.hide();
    else if (board && (key === "ArrowLeft" || key === "ArrowRight")) stepAlong(board, key === "ArrowRight" ? 1 : -1);
    else if (key.startsWith("Arrow") && moveAmongLit(root, key)) return true;
    else if (board && key === "Enter") board.click();
    else return false;
    return true;
  };
}

/** @param {Element | null} target @param {string} selector */
const near = (target, selector) => /** @type {HTMLElement | null} */ (target?.closest(selector) ?? null);

/** @param {HTMLElement | null} board */
const placeOf = (board) => (board ? Number(board.dataset.board) : null);

/**
 * A card in the hand is chosen; the gap of one that was used takes its step back.
 * @param {Task} task
 * @param {HTMLElement} card
 */
function pressCard(task, card) {
  if (card.dataset.card !== undefined) task.card(Number(card.dataset.card));
  else task.takeBack(Number(card.dataset.step));
}
