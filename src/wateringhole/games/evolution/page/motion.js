// @ts-check
/** Short animations: tokens and cards fly, boards shake and fade. `skip` ends them; reduced motion replaces them. */

import { h, icon, prefersReducedMotion } from "/static/js/dom.js";

const MOVE = 260;
const REVEAL = 520;
const STAGGER = 60;
const FLIGHT = 360;
const EASE = "cubic-bezier(.2, .8, .3, 1)";

/** @param {HTMLElement} root */
export function createMotion(root) {
  /** @type {Set<Animation>} */
  const running = new Set();
  /** @type {Set<() => void>} */
  const pauses = new Set();
  let isSkipping = false;

  /** @param {Element} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} timing */
  async function play(element, frames, timing) {
    if (isSkipping) return;
    const animation = element.animate(frames, { easing: EASE, fill: "backwards", ...timing });
    running.add(animation);
    try {
      await animation.finished;
    } catch {
      // The animation was cancelled because its element was removed.
    } finally {
      running.delete(animation);
    }
  }

  /** @param {number} ms */
  const pause = (ms) =>
    isSkipping
      ? Promise.resolve()
      : new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
          const done = () => {
            clearTimeout(timer);
            pauses.delete(done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          pauses.add(done);
        });

  /** Outlines a changed element for two seconds. @param {Element | null | undefined} element */
  function outline(element) {
    if (!element) return;
    element.classList.add("changed");
    setTimeout(() => element.classList.remove("changed"), 2000);
  }

  /**
   * Moves an element along a slight arc.
   * @param {Element | null | undefined} from
   * @param {Element | null | undefined} to
   * @param {HTMLElement} flying
   * @param {number} [delay]
   * @param {number} [duration]
   */
  async function fly(from, to, flying, delay = 0, duration = FLIGHT) {
    if (!from || !to || isSkipping) return;
    if (prefersReducedMotion()) return outline(to);
    const origin = root.getBoundingClientRect();
    const a = from.getBoundingClientRect();
    const b = to.getBoundingClientRect();
    const x1 = a.left + a.width / 2 - origin.left;
    const y1 = a.top + a.height / 2 - origin.top;
    const x2 = b.left + b.width / 2 - origin.left;
    const y2 = b.top + b.height / 2 - origin.top;
    flying.classList.add("flying");
    flying.setAttribute("aria-hidden", "true");
    root.append(flying);
    const at = (/** @type {number} */ x, /** @type {number} */ y) => ({
      transform: `translate(${x}px, ${y}px) translate(-50%, -50%)`,
    });
    await play(flying, [at(x1, y1), at((x1 + x2) / 2, (y1 + y2) / 2 - 28), at(x2, y2)], { duration, delay });
    flying.remove();
  }

  return {
    pause,
    outline,
    fly,
    /**
     * @param {(index: number) => Element | null | undefined} from
     * @param {Element | null | undefined} to
     * @param {number} count
     */
    async flyTokens(from, to, count) {
      const flights = Array.from({ length: count }, (_, index) =>
        fly(from(index), to, h("span", { class: "token" }, icon("food-plant")), index * STAGGER),
      );
      await Promise.all(flights);
    },
    /** @param {Element | null | undefined} element */
    async shake(element) {
      if (!element) return;
      if (prefersReducedMotion()) return outline(element);
      const x = (/** @type {number} */ by) => ({ transform: `translateX(${by}px)` });
      await play(element, [x(0), x(-6), x(6), x(-4), x(3), x(0)], { duration: MOVE * 1.3 });
    },
    /** @param {Element | null | undefined} element */
    async fade(element) {
      if (!element || prefersReducedMotion()) return;
      await play(element, [{ opacity: 1 }, { opacity: 0, transform: "scale(.8)" }], { duration: MOVE * 1.5 });
    },
    /** @param {Element | null | undefined} element */
    async flip(element) {
      if (!element) return;
      if (prefersReducedMotion()) return outline(element);
      await play(element, [{ transform: "rotateY(90deg) scale(1.1)" }, { transform: "none" }], { duration: REVEAL });
    },
    /** @param {Element | null | undefined} element */
    async appear(element) {
      if (!element || prefersReducedMotion()) return;
      const hidden = { opacity: 0, transform: "translateY(14px) scale(.92)" };
      await play(element, [hidden, { opacity: 1, transform: "none" }], { duration: MOVE });
    },
    skip() {
      isSkipping = true;
      for (const animation of running) animation.finish();
      for (const done of [...pauses]) done();
    },
    /** Allows animations again after `skip`. */
    resume() {
      isSkipping = false;
    },
  };
}
