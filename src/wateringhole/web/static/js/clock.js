// @ts-check
/** The end of the referee's patience: red under ten seconds, announced at thirty and ten. */

import { byId, setText } from "./dom.js";

/** Whoever has more seconds left than these is not hurried by a clock. */
const MOST_SHOWN = 120;

/** @param {(text: string) => void} announce */
export function createClock(announce) {
  const face = byId("clock");
  let timer = 0;

  function stop() {
    clearInterval(timer);
    face.hidden = true;
  }

  return {
    stop,
    /** @param {number | null} seconds @param {boolean} mine */
    start(seconds, mine) {
      stop();
      if (seconds === null) return;
      const end = performance.now() + seconds * 1000;
      let told = Infinity;
      const tick = () => {
        const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
        face.hidden = left > MOST_SHOWN;
        setText(face, `${left} ${left === 1 ? "second" : "seconds"}`);
        face.classList.toggle("short", left < 10);
        if (mine && (left === 30 || left === 10) && left < told) announce(`${(told = left)} seconds left.`);
      };
      tick();
      timer = setInterval(tick, 250);
    },
  };
}
