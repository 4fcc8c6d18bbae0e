// @ts-check
/** Asks for an answer: a button for each one that is listed, or a field for JSON. */

import { h } from "../dom.js";
import { createTree } from "./tree.js";

/** @typedef {{answer: any, text: string}} Offer */
/** @typedef {{view: any, fields: Record<string, any>, options: Offer[], pass: Offer | null}} PlainOffers */
/** @typedef {import("../types.js").RequestMessage} RequestMessage */

/** Answers that have a key. */
const MOST_KEYS = 9;

/** @param {string[]} names */
export function createForm(names) {
  const title = h("h2", { id: "plain-ask" });
  const inside = h("div", { class: "inside" });
  const problem = h("p", { class: "problem", role: "alert" });
  const root = h("section", { class: "paper ask", "aria-labelledby": title.id, hidden: true }, title, inside, problem);
  /** @type {HTMLButtonElement[]} */
  let keys = [];
  /** What was typed, in case the answer is refused. @type {{id: number, text: string} | null} */
  let typed = null;
  let isAsked = false;

  /** @param {string} text */
  function refuse(text) {
    problem.textContent = text;
    /** @type {HTMLElement | null} */ (inside.querySelector("textarea"))?.setAttribute("aria-invalid", String(text !== ""));
  }

  /** @param {Offer[]} options @param {(answer: any) => boolean} answer */
  function buttons(options, answer) {
    keys = options.map(({ answer: value, text }, index) =>
      h("button", { class: "btn", type: "button", onclick: () => answer(value) }, index < MOST_KEYS && h("kbd", { "aria-hidden": "true" }, index + 1), h("span", null, text)),
    );
    return h("div", { class: "options", role: "group", "aria-label": "Answers" }, ...keys);
  }

  /** @param {RequestMessage} request @param {(answer: any) => boolean} answer */
  function field(request, answer) {
    const kept = typed?.id === request.id ? typed.text : "";
    const text = h("textarea", { class: "field", id: "plain-answer", rows: 3, spellcheck: "false", autocomplete: "off", required: true, "aria-describedby": "plain-help" });
    text.value = kept;
    const example = request.offers.pass ? `, for example ${JSON.stringify(request.offers.pass.answer)}` : "";
    return h(
      "form",
      { onsubmit: submit },
      h("label", { for: text.id }, "Your answer as JSON"),
      text,
      h("p", { class: "small quiet", id: "plain-help" }, `The answer to “${request.request}” as a program would send it${example}.`),
      h("button", { class: "btn primary", type: "submit" }, "Answer"),
    );
    /** @param {Event} event */
    function submit(event) {
      event.preventDefault();
      typed = { id: request.id, text: text.value };
      try {
        answer(JSON.parse(text.value));
      } catch (failure) {
        if (!(failure instanceof SyntaxError)) throw failure;
        refuse(`This is not JSON: ${failure.message}.`);
        text.focus();
      }
    }
  }

  return {
    root,
    isAsked: () => isAsked,
    /** @param {RequestMessage} request @param {(answer: any) => boolean} answer */
    ask(request, answer) {
      const { options, pass, fields } = /** @type {PlainOffers} */ (request.offers);
      const isMine = document.activeElement === document.body || root.contains(document.activeElement);
      isAsked = true;
      root.hidden = false;
      keys = [];
      title.textContent = `Your turn: ${request.request}`;
      const details = createTree("The request", names);
      details.draw(fields);
      inside.replaceChildren(
        ...(Object.keys(fields).length ? [details.root.lastElementChild ?? ""] : []),
        options.length ? buttons(options, answer) : field(request, answer),
        ...(pass ? [h("button", { class: "btn ghost pass", type: "button", onclick: () => answer(pass.answer) }, h("span", null, "Pass: "), h("span", null, pass.text))] : []),
      );
      refuse("");
      // The keyboard goes to the answers, unless the reader is elsewhere, in the log for instance.
      if (isMine) /** @type {HTMLElement | null} */ (inside.querySelector(".options button, textarea"))?.focus({ preventScroll: true });
    },
    stop() {
      isAsked = false;
      root.hidden = true;
      keys = [];
      inside.replaceChildren();
    },
    refuse,
    /** @param {KeyboardEvent} event @returns {boolean} */
    press(event) {
      const chosen = /^[1-9]$/.test(event.key) ? keys[Number(event.key) - 1] : undefined;
      chosen?.click();
      return chosen !== undefined;
    },
  };
}
