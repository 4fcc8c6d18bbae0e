// @ts-check
/** Putting my row in another order, where the rules let me: by dragging a board, or by the arrows in the list. */

import { h, icon } from "/static/js/dom.js";
import { button, refill } from "./panel.js";
import { nameOf } from "./words.js";

/** @typedef {import("./task-context.js").Stage} Stage */
/** @typedef {import("./task-context.js").Task} Task */

/** @param {Stage} stage @returns {Task} */
export function arrangeTask(stage) {
  const boards = stage.scene.own?.boards ?? [];
  let order = boards.map((_, index) => index);

  /** @param {number} place @param {number} by */
  function shift(place, by) {
    const to = place + by;
    if (to < 0 || to >= order.length) return;
    [order[place], order[to]] = [order[to], order[place]];
    stage.render();
  }

  const keep = () => stage.actions.answer(order);

  return {
    paint() {
      stage.actions.hint("Put your species in order: neighbours matter for some traits. Then go on.");
      refill(stage.left, [
        h("h2", null, "Your order"),
        h(
          "ol",
          { class: "order-list" },
          order.map((board, place) =>
            h(
              "li",
              null,
              h("b", { class: "num" }, place + 1),
              h("span", null, nameOf(boards[board])),
              mover("left", board, place, -1),
              mover("right", board, place, 1),
            ),
          ),
        ),
      ]);
      refill(stage.right, []);
      refill(stage.confirm, [button("Keep this order", "primary main", keep)]);
    },
    move(board, beside) {
      const to = order.indexOf(beside);
      order = order.filter((each) => each !== board);
      order.splice(to, 0, board);
      stage.render();
    },
    decorate: (seat) => (seat === stage.seat ? { state: "movable" } : {}),
    row: () => ({ boards, places: order }),
    hand: () => ({ chosen: null, steps: [], asked: false }),
    places: () => ({ zone: false, food: null, buy: {}, mine: null }),
    card() {},
    takeBack() {},
    press() {},
    touch: () => false,
    zone: () => false,
    key: () => false,
    onReply() {},
    onDisconnect() {},
    remarks: () => [],
    aim: () => null,
  };

  /** @param {"left" | "right"} way @param {number} board @param {number} place @param {1 | -1} by */
  function mover(way, board, place, by) {
    const label = `${nameOf(boards[board])} one place to the ${way}`;
    const onclick = () => shift(place, by);
    return h("button", { class: "close", type: "button", "data-key": `${way} ${board}`, "aria-label": label, onclick }, icon(way));
  }
}
