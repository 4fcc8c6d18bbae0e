// @ts-check
/**
 * The countdown of a time limit: red below ten seconds, announced at thirty and at ten. Before, it shows when the clock
 * starts at the latest.
 */

import { byId, setText } from "./dom.js";
import { t } from "./text.js";

/** The clock stays hidden while more seconds than this are left. */
const MAX_SHOWN_SECONDS = 120;

/** @param {(text: string) => void} announce */
export function createClock(announce) {
  const element = byId("clock");
  let timer = 0;

  function stop() {
    clearInterval(timer);
    element.hidden = true;
  }

  /** @param {number} seconds @param {number} since @param {(left: number) => void} show called with the whole seconds left */
  function countDown(seconds, since, show) {
    const deadline = since + seconds * 1000;
    const tick = () => show(Math.max(0, Math.ceil((deadline - performance.now()) / 1000)));
    tick();
    timer = setInterval(tick, 250);
  }

  return {
    stop,
    /** Shows when the clock starts at the latest. @param {number | null} seconds @param {number} since when they began, by the page's clock */
    startSoon(seconds, since) {
      stop();
      if (seconds === null) return;
      element.hidden = false;
      element.classList.remove("short");
      countDown(seconds, since, (left) => setText(element, t("clock.startsIn", { count: left })));
    },
    /** @param {number | null} seconds @param {boolean} mine @param {number} since when the time began, by the page's clock */
    start(seconds, mine, since) {
      stop();
      if (seconds === null) return;
      let announced = Infinity;
      countDown(seconds, since, (left) => {
        element.hidden = left > MAX_SHOWN_SECONDS;
        setText(element, t("clock.left", { count: left }));
        element.classList.toggle("short", left < 10);
        if (mine && (left === 30 || left === 10) && left < announced) announce(t("clock.announced", { count: (announced = left) }));
      });
    },
  };
}
