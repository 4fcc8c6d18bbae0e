// @ts-check
/** The view of a Porrinha table: fists around the table, the coaster in the middle, the bar at the bottom. */

import { defineIcons, h, setText, svg, prefersReducedMotion } from "/static/js/dom.js";
import { absenceLabel, botLabel } from "/static/js/player-status.js";
import { createBar } from "./answer-bar.js";
import { ICONS } from "./icons.js";
import { createSeat } from "./seats.js";
import { t } from "./text.js";

export { coach } from "./coach.js";
export { guide } from "./guide.js";

defineIcons(ICONS);

/** @typedef {import("./types.js").PorrinhaScene} Scene */
/** @typedef {import("/static/js/types.js").SeatInfo} SeatInfo */
/** @typedef {import("/static/js/types.js").BoardView} BoardView */
/** @typedef {import("/static/js/types.js").BoardViewOptions} BoardViewOptions */

const PAUSE = { guess: 550, hand: 260, hold: 900, read: 7000 };

/**
 * @param {HTMLElement} root
 * @param {BoardViewOptions} options
 * @returns {BoardView}
 */
export function createBoardView(root, { names, seat: me, interactive }) {
  const count = names.length;
  const seats = names.map((_, seat) => createSeat((seat - (me ?? 0) + count) % count, count));
  const equation = h("span", { class: "eq num" });
  const sum = h("b", { class: "num" });
  const caption = h("span", { class: "caption" });
  const coaster = h("div", { class: "coaster" }, equation, sum, caption);
  const bar = createBar();
  const round = h("div", { class: "round" }, tabletop(), coaster, ...seats.map((seat) => seat.root));
  round.classList.toggle("crowded", count > 6);
  root.replaceChildren(floor(), round);
  root.classList.add("bar-room");
  if (interactive) root.append(bar.root);

  /** @type {Scene | null} */
  let scene = null;
  /** How many hands are open, in the order of guessing; all of them except during the opening animation. */
  let openHands = count;
  /** @type {number | null | undefined} */
  let viewpoint;
  /** @type {SeatInfo[]} */
  let seatInfos = [];
  /** @type {number[]} */
  let waiting = [];
  /** @type {(() => void) | null} */
  let endPause = null;
  let asked = false;

  /** @param {number} seat */
  const nameOf = (seat) => (seat === me ? t("you") : (names[seat] ?? ""));

  /** Waits until the time is over, or a click or a key ends the pause. @param {number} ms */
  function pause(ms) {
    return new Promise((/** @type {(value: void) => void} */ done) => {
      const timer = setTimeout(finish, ms);
      endPause = finish;
      function finish() {
        clearTimeout(timer);
        endPause = null;
        done();
      }
    });
  }

  function draw() {
    if (!scene) return;
    const isOpen = scene.phase === "open" || scene.phase === "end";
    const order = scene.order.length ? scene.order : scene.active;
    for (let seat = 0; seat < count; seat += 1) {
      const info = seatInfos.find((each) => each.seat === seat);
      const turn = order.indexOf(seat);
      const shown = scene.hands[seat] ?? null;
      const open = isOpen && shown !== null && turn < openHands;
      seats[seat]?.draw({
        name: nameOf(seat),
        mine: seat === me,
        // A player who gave up the last stick is drawn until the hands close.
        isIn: scene.active.includes(seat) || (isOpen && shown !== null),
        status: scene.out.includes(seat) ? t("seat.thrownOut") : t("seat.safe"),
        sticks: scene.sticks[seat] ?? 0,
        most: scene.most_sticks,
        hand: open ? shown : secret(scene, seat),
        open,
        guess: scene.guesses[seat] ?? null,
        isVoid: scene.void.includes(seat),
        verdict: isOpen && openHands >= order.length ? (scene.winner === seat ? "right" : "wrong") : null,
        leads: scene.lead === seat && scene.phase !== "end",
        acting: waiting.includes(seat),
        info,
        bot: botLabel(info),
        absence: scene.out.includes(seat) ? null : absenceLabel(info),
      });
    }
    drawCoaster(scene, isOpen, order);
  }

  /** Returns the number in a closed fist, or null if it is hidden. @param {Scene} now @param {number} seat */
  function secret(now, seat) {
    if (viewpoint === undefined) return seat === me ? now.own_hand : null;
    return viewpoint === null || viewpoint === seat ? (now.secret_hands?.[seat] ?? null) : null;
  }

  /** @param {Scene} now @param {boolean} isOpen @param {number[]} order */
  function drawCoaster(now, isOpen, order) {
    if (!isOpen) {
      const taken = now.guesses.filter((guess) => guess !== null).sort((a, b) => Number(a) - Number(b));
      setText(equation, "");
      setText(sum, `0–${now.table}`);
      setText(caption, taken.length ? t("coaster.taken", { numbers: taken.join(", ") }) : t("coaster.possible"));
      return;
    }
    const open = order.slice(0, openHands).map((seat) => now.hands[seat]).filter((hand) => hand !== null && hand !== undefined);
    const all = openHands >= order.length;
    const total = open.reduce((/** @type {number} */ whole, hand) => whole + Number(hand), 0);
    setText(equation, open.length > 1 && open.length < 7 ? open.join(" + ") : "");
    setText(sum, String(all ? (now.total ?? total) : total));
    const right = now.winner === null ? t("coaster.none") : now.winner === me ? t("coaster.you") : t("coaster.right", { name: nameOf(now.winner) });
    setText(caption, all ? right : t("coaster.soFar"));
  }

  /** Returns the bar's text for a finished round. @param {Scene} now */
  function verdict(now) {
    const winner = now.winner;
    const total = now.total ?? 0;
    if (winner === null) return { title: t("verdict.none"), text: t("verdict.noneText", { total }) };
    const left = now.sticks[winner] ?? 0;
    const name = nameOf(winner);
    const isMine = winner === me;
    if (left === 0) return { title: isMine ? t("verdict.youSafe") : t("verdict.safe", { name }), text: t("verdict.noneLeft", { total }) };
    return {
      title: isMine ? t("verdict.youFewer") : t("verdict.fewer", { name }),
      text: isMine ? t("verdict.youKeep", { total, count: left }) : t("verdict.keeps", { total, name, count: left }),
    };
  }

  /** @param {Scene} now */
  function showStatus(now) {
    if (asked) return;
    if (now.phase === "end") bar.showMessage(t("status.over"), "");
    else if (me !== null && !now.active.includes(me)) bar.showMessage(t("status.out"), t("status.watch"));
    else bar.showMessage(now.phase === "hide" ? t("status.hiding") : t("status.guessing"), t("status.wait"));
  }

  return {
    async show(next, event, { animate = false, viewpoint: eyes } = {}) {
      const before = scene;
      scene = /** @type {Scene} */ (next);
      viewpoint = eyes;
      openHands = count;
      if (!animate) {
        draw();
        showStatus(scene);
        return;
      }
      if (event?.event === "RoundSettled") {
        const quick = prefersReducedMotion();
        for (openHands = quick ? count : 0; openHands < scene.order.length; openHands += 1) {
          draw();
          await pause(PAUSE.hand);
        }
        openHands = count;
        draw();
        const { title, text } = verdict(scene);
        if (interactive && me !== null && before?.active.includes(me)) {
          const read = pause(PAUSE.read);
          bar.askToContinue(title, text, t("verdict.next"), () => endPause?.());
          await read;
        } else {
          bar.showMessage(title, text);
          await pause(PAUSE.hold * 2);
        }
      } else {
        draw();
        showStatus(scene);
        if (event?.event === "GuessSaid") await pause(event.seat === me ? 0 : PAUSE.guess);
        else if (event?.event === "PlayerForfeited") await pause(PAUSE.hold);
      }
    },
    ask(request, actions) {
      scene = /** @type {Scene} */ (request.scene);
      asked = true;
      draw();
      const done = (/** @type {number} */ number) => actions.answer(number);
      actions.hint(request.request === "hand" ? t("hint.hand") : t("hint.guess"));
      if (request.request === "hand") bar.askHand(request.offers, done, actions);
      else bar.askGuess(request.offers, names, done, actions);
      bar.focus();
    },
    stopAsking() {
      asked = false;
      if (scene) showStatus(scene);
    },
    onReply() {},
    onDisconnect() {},
    progress: () => ({ chosen: bar.chosen() }),
    updateSeats(infos, asking) {
      seatInfos = infos;
      waiting = asking;
      draw();
    },
    seatElement: (seat) => seats[seat]?.root,
    skip: () => endPause?.(),
    handleKey: (event) => bar.handleKey(event),
    showResult() {
      asked = false;
      draw();
      bar.showMessage(t("status.over"), "");
    },
  };
}


function floor() {
  const paths = [];
  for (let y = -40; y < 1000; y += 92) {
    let d = `M-60 ${y}`;
    for (let x = -60; x < 1700; x += 240) d += "c40-64 80-64 120 0s80 64 120 0";
    paths.push(svg("path", { d }));
  }
  const waves = svg("g", { fill: "none", stroke: "var(--wave)", "stroke-width": "40" }, ...paths);
  return svg("svg", { class: "floor", viewBox: "0 0 1440 900", preserveAspectRatio: "xMidYMid slice", "aria-hidden": "true" }, waves);
}

const GRAIN =
  "M70 160C160 150 220 158 280 154M90 130C140 122 200 126 250 124M60 230C120 222 150 226 200 224M90 290C160 280 210 288 250 284" +
  "M130 330C190 322 240 330 290 328M390 110C450 104 500 112 560 130M430 150C490 148 540 156 600 170M460 250C520 246 560 252 610 246" +
  "M420 300C480 294 530 300 580 290M380 340C430 334 470 340 520 332";

function tabletop() {
  return svg(
    "svg",
    { class: "top", viewBox: "0 0 660 430", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("ellipse", { cx: 330, cy: 225, rx: 322, ry: 202, fill: "var(--edge)" }),
    svg("ellipse", { cx: 330, cy: 214, rx: 324, ry: 204, fill: "var(--wood)" }),
    svg("ellipse", { cx: 330, cy: 212, rx: 300, ry: 184, fill: "none", stroke: "var(--wood-mark)", "stroke-width": "4" }),
    svg("path", { d: GRAIN, fill: "none", stroke: "var(--wood-mark)", "stroke-width": "3.5", "stroke-linecap": "round" }),
  );
}
