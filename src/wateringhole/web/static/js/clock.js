// @ts-check
/** The countdown of a time limit: red below ten seconds, announced at thirty and at ten. */

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

  return {
    stop,
    /** @param {number | null} seconds @param {boolean} mine @param {number} since when the time began, by the page's clock */
    start(seconds, mine, since) {
      stop();
      if (seconds === null) return;
      const deadline = since + seconds * 1000;
      let announced = Infinity;
      const tick = () => {
        const left = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
        element.hidden = left > MAX_SHOWN_SECONDS;
        setText(element, t("clock.left", { count: left }));
        element.classList.toggle("short", left < 10);
        if (mine && (left === 30 || left === 10) && left < announced) announce(t("clock.announced", { count: (announced = left) }));
      };
      tick();
      timer = setInterval(tick, 250);
    },
  };
}
