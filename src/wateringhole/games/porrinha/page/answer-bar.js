// @ts-check
/** The bar at the bottom: asks for a hand or a guess, and shows the result of a round. */

import { h, icon, setText } from "/static/js/dom.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").HandOffers} HandOffers */
/** @typedef {import("./types.js").GuessOffers} GuessOffers */

/** @typedef {{number: number, small: string, kind: ""|"taken"|"bluff", label: string}} Key */

/** @typedef {{draft: number | null, saveDraft: (number: number) => void}} NumberDraft the number chosen before a reload */

/** Creates the bar. */
export function createBar() {
  const title = h("h2", { tabindex: "-1" });
  const hint = h("p", { class: "hint" });
  const middle = h("div", { class: "middle" });
  /** The button that confirms. It is never replaced, so that a press on it becomes a click. */
  const main = h("button", { class: "btn primary main", type: "button", hidden: true, onclick: () => confirm() });
  const end = h("div", { class: "end" }, main);
  const root = h("section", { class: "ask", "aria-label": t("bar.label") }, h("div", { class: "prompt" }, title, hint), middle, end);
  /** @type {((key: KeyboardEvent) => boolean) | null} */
  let handleKey = null;
  /** The number that is chosen but not confirmed. @type {number | null} */
  let chosen = null;
  let confirm = () => {};

  /** @param {string} heading @param {string} text */
  function showMessage(heading, text) {
    setText(title, heading);
    setText(hint, text);
    middle.replaceChildren();
    main.hidden = main.disabled = true;
    handleKey = null;
  }

  /** @param {(string | Node)[]} content @param {() => void} act @param {boolean} isOff */
  function showMain(content, act, isOff = false) {
    main.replaceChildren(...content);
    main.disabled = isOff;
    main.hidden = false;
    confirm = act;
  }

  /**
   * Shows a row of numbers to choose from, and the button that confirms.
   * @param {string} heading
   * @param {string} text
   * @param {Key[]} keys
   * @param {(number: number) => string} verb
   * @param {(number: number) => void} done
   * @param {string} first the button's text before a number is chosen
   * @param {NumberDraft} draft
   */
  function chooseNumber(heading, text, keys, verb, done, first, draft) {
    showMessage(heading, text);
    chosen = null;
    const buttons = keys.map(({ number, small, kind, label }) =>
      h(
        "button",
        { type: "button", class: kind, "data-number": number, "aria-pressed": "false", title: label, disabled: kind === "taken", onclick: () => pick(number) },
        h("b", { class: "num" }, number),
        small && h("small", null, small),
      ),
    );
    middle.append(h("div", { class: `numbers ${keys.every(({ small }) => small) ? "worded" : ""}`, role: "group", "aria-label": heading }, ...buttons));
    showMain([first], () => chosen !== null && done(chosen), true);

    /** @param {number} number */
    function pick(number) {
      // A second press on the same number confirms it.
      if (number === chosen) return confirm();
      chosen = number;
      draft.saveDraft(number);
      keys.forEach((key, index) => buttons[index]?.setAttribute("aria-pressed", String(key.number === number)));
      main.disabled = false;
      main.replaceChildren(verb(number));
    }
    if (keys.some(({ number, kind }) => number === draft.draft && kind !== "taken")) pick(Number(draft.draft));
    /** Two digits typed quickly form one number. */
    let typed = "";
    let typedAt = 0;
    handleKey = (event) => {
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
    showMessage,
    chosen: () => chosen,
    /** @param {HandOffers} offers @param {(hand: number) => void} done @param {NumberDraft} draft */
    askHand({ least, most }, done, draft) {
      const keys = Array.from({ length: most - least + 1 }, (_, index) => {
        const number = least + index;
        return { number, small: t("bar.sticks", { count: number }), kind: /** @type {const} */ (""), label: t("bar.hide", { number }) };
      });
      const text = t("bar.handHint", { least, most });
      chooseNumber(t("bar.askHand"), text, keys, (number) => t("bar.hide", { number }), done, t("bar.choose"), draft);
    },
    /** @param {GuessOffers} offers @param {string[]} names @param {(guess: number) => void} done @param {NumberDraft} draft */
    askGuess({ numbers, text }, names, done, draft) {
      const keys = numbers.map(({ number, state, by, text: why }) => ({
        number,
        small: state === "taken" ? (by === null ? t("bar.taken") : (names[by] ?? "")) : state === "bluff" ? t("bar.bluff") : "",
        kind: state === "free" ? /** @type {const} */ ("") : state,
        label: why || t("bar.say", { number }),
      }));
      chooseNumber(t("bar.askGuess"), text, keys, (number) => t("bar.say", { number }), done, t("bar.choose"), draft);
    },
    /** @param {string} heading @param {string} text @param {string} button @param {() => void} done */
    askToContinue(heading, text, button, done) {
      showMessage(heading, text);
      showMain([button, icon("right")], done);
      handleKey = (event) => {
        if (event.key !== "Enter" || event.target instanceof HTMLButtonElement) return false;
        done();
        return true;
      };
    },
    /** @param {KeyboardEvent} event */
    handleKey: (event) => handleKey?.(event) ?? false,
    focus: () => title.focus({ preventScroll: true }),
  };
}
