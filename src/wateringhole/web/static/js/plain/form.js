// @ts-check
/** A form for one answer: a button for each listed option, or a text field for JSON. */

import { h } from "../dom.js";
import { t } from "../text.js";
import { createTree } from "./tree.js";

/** @typedef {{answer: any, text: string}} Offer */
/** @typedef {{view: any, fields: Record<string, any>, options: Offer[], pass: Offer | null}} PlainOffers */
/** @typedef {import("../types.js").RequestActions} RequestActions */
/** @typedef {import("../types.js").RequestMessage} RequestMessage */

/** Only this many options have a keyboard shortcut. */
const MAX_KEYS = 9;

/** @param {string[]} names */
export function createForm(names) {
  const title = h("h2", { id: "plain-ask" });
  const body = h("div", { class: "inside" });
  const error = h("p", { class: "error", role: "alert" });
  const root = h("section", { class: "paper ask", "aria-labelledby": title.id, hidden: true }, title, body, error);
  /** @type {HTMLButtonElement[]} */
  let keys = [];
  let isAsked = false;

  /** @param {string} text */
  function showError(text) {
    error.textContent = text;
    /** @type {HTMLElement | null} */ (body.querySelector("textarea"))?.setAttribute("aria-invalid", String(text !== ""));
  }

  /** @param {Offer[]} options @param {(answer: any) => boolean} answer */
  function buttons(options, answer) {
    keys = options.map(({ answer: value, text }, index) =>
      h("button", { class: "btn", type: "button", onclick: () => answer(value) }, index < MAX_KEYS && h("kbd", { "aria-hidden": "true" }, index + 1), h("span", null, text)),
    );
    return h("div", { class: "options", role: "group", "aria-label": t("plain.answers") }, ...keys);
  }

  /** @param {RequestMessage} request @param {RequestActions} actions */
  function field(request, { answer, draft, saveDraft }) {
    const text = h("textarea", { class: "field", id: "plain-answer", rows: 3, spellcheck: "false", autocomplete: "off", required: true, "aria-describedby": "plain-help", oninput: () => saveDraft(text.value) });
    text.value = draft ?? "";
    const { pass } = request.offers;
    const help = pass ? t("plain.example", { request: request.request, example: JSON.stringify(pass.answer) }) : t("plain.format", { request: request.request });
    return h(
      "form",
      { onsubmit: submit },
      h("label", { for: text.id }, t("plain.json")),
      text,
      h("p", { class: "small quiet", id: "plain-help" }, help),
      h("button", { class: "btn primary", type: "submit" }, t("plain.answer")),
    );
    /** @param {Event} event */
    function submit(event) {
      event.preventDefault();
      try {
        answer(JSON.parse(text.value));
      } catch (exception) {
        if (!(exception instanceof SyntaxError)) throw exception;
        showError(t("plain.notJson", { problem: exception.message }));
        text.focus();
      }
    }
  }

  return {
    root,
    isAsked: () => isAsked,
    /** @param {RequestMessage} request @param {RequestActions} actions */
    ask(request, actions) {
      const { answer } = actions;
      const { options, pass, fields } = /** @type {PlainOffers} */ (request.offers);
      const mayTakeFocus = document.activeElement === document.body || root.contains(document.activeElement);
      isAsked = true;
      root.hidden = false;
      keys = [];
      title.textContent = t("plain.yourTurn", { request: request.request });
      const details = createTree(t("plain.request"), names);
      details.draw(fields);
      body.replaceChildren(
        ...(Object.keys(fields).length ? [details.root.lastElementChild ?? ""] : []),
        options.length ? buttons(options, answer) : field(request, actions),
        ...(pass ? [h("button", { class: "btn ghost pass", type: "button", onclick: () => answer(pass.answer) }, h("span", null, t("plain.pass"), " "), h("span", null, pass.text))] : []),
      );
      showError("");
      // Focus the answers, unless the user is elsewhere, for example in the log.
      if (mayTakeFocus) /** @type {HTMLElement | null} */ (body.querySelector(".options button, textarea"))?.focus({ preventScroll: true });
    },
    stop() {
      isAsked = false;
      root.hidden = true;
      keys = [];
      body.replaceChildren();
    },
    showError,
    /** @param {KeyboardEvent} event @returns {boolean} */
    press(event) {
      const chosen = /^[1-9]$/.test(event.key) ? keys[Number(event.key) - 1] : undefined;
      chosen?.click();
      return chosen !== undefined;
    },
  };
}
