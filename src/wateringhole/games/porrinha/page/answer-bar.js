// @ts-check
/** The bar at the bottom: hide some sticks, say a sum, or read how the round went. */

import { h, icon, setText } from "/static/js/dom.js";

/** @typedef {import("./types.js").HandOffers} HandOffers */
/** @typedef {import("./types.js").GuessOffers} GuessOffers */

/** @typedef {{number: number, small: string, kind: ""|"taken"|"bluff", label: string}} Key */

/** The bar, and the means to fill it. */
export function createBar() {
  const title = h("h2", { tabindex: "-1" });
  const hint = h("p", { class: "hint" });
  const middle = h("div", { class: "middle" });
  const end = h("div", { class: "end" });
  const root = h("section", { class: "ask", "aria-label": "What to do" }, h("div", { class: "words" }, title, hint), middle, end);
  /** @type {((key: KeyboardEvent) => boolean) | null} */
  let press = null;

  /** @param {string} heading @param {string} text */
  function tell(heading, text) {
    setText(title, heading);
    setText(hint, text);
    middle.replaceChildren();
    end.replaceChildren();
    press = null;
  }

  /**
   * A row of numbers to choose from, and the button that does it.
   * @param {string} heading
   * @param {string} text
   * @param {Key[]} keys
   * @param {(number: number) => string} verb
   * @param {(number: number) => void} done
   * @param {string} first what the button says before anything is chosen
   */
  function choose(heading, text, keys, verb, done, first) {
    tell(heading, text);
    /** @type {number | null} */
    let chosen = null;
    const main = h("button", { class: "btn primary main", type: "button", onclick: confirm }, first);
    main.disabled = true;
    const buttons = keys.map(({ number, small, kind, label }) =>
      h(
        "button",
        { type: "button", class: kind, "aria-pressed": "false", title: label, disabled: kind === "taken", onclick: () => pick(number) },
        h("b", { class: "num" }, number),
        small && h("small", null, small),
      ),
    );
    middle.append(h("div", { class: `numbers ${keys.every(({ small }) => small) ? "worded" : ""}`, role: "group", "aria-label": heading }, ...buttons));
    end.append(main);

    /** @param {number} number */
    function pick(number) {
      // A second press on the same number does it.
      if (number === chosen) return confirm();
      chosen = number;
      keys.forEach((key, index) => buttons[index]?.setAttribute("aria-pressed", String(key.number === number)));
      main.disabled = false;
      main.replaceChildren(verb(number));
    }
    function confirm() {
      if (chosen === null) return;
      done(chosen);
    }
    /** Two digits within a moment make one number. */
    let typed = "";
    let typedAt = 0;
    press = (event) => {
      if (event.key === "Enter" && chosen !== null && !(event.target instanceof HTMLButtonElement)) {
        confirm();
        return true;
      }
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        const open = keys.filter((key) => key.kind !== "taken");
        const here = open.findIndex((key) => key.number === chosen);
        const next = open[(here + (event.key === "ArrowRight" ? 1 : -1) + open.length) % open.length] ?? open[0];
        if (next && next.number !== chosen) pick(next.number);
        const at = keys.findIndex((key) => key === next);
        buttons[at]?.focus();
        return true;
      }
      if (!/^\d$/.test(event.key)) return false;
      const now = event.timeStamp;
      typed = now - typedAt < 800 ? typed + event.key : event.key;
      typedAt = now;
      const wanted = [typed, event.key].map(Number);
      const found = wanted.map((number) => keys.findIndex((key) => key.number === number)).find((at) => at >= 0);
      const key = found === undefined ? undefined : keys[found];
      if (!key || found === undefined) return false;
      if (key.kind === "taken") setText(hint, key.label);
      else if (key.number !== chosen) pick(key.number);
      buttons[found]?.focus();
      return true;
    };
  }

  return {
    root,
    tell,
    /** @param {HandOffers} offers @param {(hand: number) => void} done */
    askHand({ least, most }, done) {
      const keys = Array.from({ length: most - least + 1 }, (_, index) => {
        const number = least + index;
        return { number, small: number === 1 ? "stick" : "sticks", kind: /** @type {const} */ (""), label: `Hide ${number}` };
      });
      const words = `Between ${least} and ${most}. Nobody sees it until the hands open.`;
      choose("How many do you hide?", words, keys, (n) => `Hide ${n}`, done, "Choose a number");
    },
    /** @param {GuessOffers} offers @param {string[]} names @param {(guess: number) => void} done */
    askGuess({ numbers, text }, names, done) {
      const keys = numbers.map(({ number, state, by, text: why }) => ({
        number,
        small: state === "taken" ? (by === null ? "taken" : (names[by] ?? "")) : state === "bluff" ? "bluff" : "",
        kind: state === "free" ? /** @type {const} */ ("") : state,
        label: why || `Say ${number}`,
      }));
      choose("How many in all?", text, keys, (n) => `Say ${n}`, done, "Choose a number");
    },
    /** @param {string} heading @param {string} text @param {string} button @param {() => void} done */
    goOn(heading, text, button, done) {
      tell(heading, text);
      const main = h("button", { class: "btn primary main", type: "button", onclick: done }, button, icon("right"));
      end.append(main);
      press = (event) => {
        if (event.key !== "Enter" || event.target instanceof HTMLButtonElement) return false;
        done();
        return true;
      };
    },
    /** @param {KeyboardEvent} event */
    press: (event) => press?.(event) ?? false,
    focus: () => title.focus({ preventScroll: true }),
  };
}
