// @ts-check
/** Reordering my species, if the rules allow it: by dragging a board, or with the arrows in the list. */

import { h, icon } from "/static/js/dom.js";
import { button, fillPanel } from "./panel.js";
import { speciesName } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./task-context.js").TaskContext} TaskContext */
/** @typedef {import("./task-context.js").Task} Task */

/** @param {TaskContext} context @param {number[] | null} restoredOrder from before a reload @returns {Task} */
export function arrangeTask(context, restoredOrder) {
  const boards = context.scene.own?.boards ?? [];
  let order = restoredOrder ?? boards.map((_, index) => index);

  /** @param {number[]} next */
  function arrange(next) {
    order = next;
    context.actions.saveDraft(order);
    context.render();
  }

  /** @param {number} index @param {number} by */
  function shift(index, by) {
    const to = index + by;
    if (to < 0 || to >= order.length) return;
    const next = [...order];
    [next[index], next[to]] = [order[to], order[index]];
    arrange(next);
  }

  const confirm = () => context.actions.answer(order);

  return {
    renderPanels() {
      context.actions.hint(t("arrange.hint"));
      fillPanel(context.left, [
        h("h2", null, t("arrange.title")),
        h(
          "ol",
          { class: "order-list" },
          order.map((board, index) =>
            h(
              "li",
              null,
              h("b", { class: "num" }, index + 1),
              h("span", null, speciesName(boards[board])),
              moveButton("left", board, index, -1),
              moveButton("right", board, index, 1),
            ),
          ),
        ),
      ]);
      fillPanel(context.right, []);
      fillPanel(context.confirm, [button(t("arrange.confirm"), "primary main", confirm)]);
    },
    moveBoard(board, beside) {
      const to = order.indexOf(beside);
      const next = order.filter((each) => each !== board);
      next.splice(to, 0, board);
      arrange(next);
    },
    decorate: (seat) => (seat === context.seat ? { state: "movable" } : {}),
    draftRow: () => ({ boards, order }),
    handState: () => ({ chosen: null, steps: [], asked: false }),
    openZones: () => ({ zone: false, food: null, buy: {}, mine: null }),
    selectCard() {},
    undoStep() {},
    pressBoard() {},
    explainBoard: () => false,
    useZone: () => false,
    handleKey: () => false,
    onReply() {},
    onDisconnect() {},
    tooltipNotes: () => [],
    arrow: () => null,
  };

  /** @param {"left" | "right"} direction @param {number} board @param {number} index @param {1 | -1} by */
  function moveButton(direction, board, index, by) {
    const label = t(`arrange.${direction}`, { species: speciesName(boards[board]) });
    const onclick = () => shift(index, by);
    return h("button", { class: "close", type: "button", "data-key": `${direction} ${board}`, "aria-label": label, onclick }, icon(direction));
  }
}
