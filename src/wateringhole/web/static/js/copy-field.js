// @ts-check
/** A text with a button that copies it. */

import { h, setText } from "./dom.js";
import { t } from "./text.js";

/** @param {string} label @param {string} text @param {...HTMLElement} more further buttons */
export function copyField(label, text, ...more) {
  const field = h("input", { class: "field", readonly: true, value: text, "aria-label": label, onfocus: select });
  const button = h("button", { class: "btn", type: "button", onclick: copy }, t("copy.button"));
  const status = h("span", { class: "small", role: "status" });
  /** @param {Event} event */
  function select({ currentTarget }) {
    /** @type {HTMLInputElement} */ (currentTarget).select();
  }
  /** @param {Event} event */
  async function copy({ currentTarget }) {
    const all = /** @type {HTMLElement} */ (currentTarget).parentElement;
    const show = (/** @type {string} */ message) => all?.lastElementChild && setText(all.lastElementChild, message);
    try {
      await navigator.clipboard.writeText(text);
      show(t("copy.done"));
    } catch {
      // Without a secure connection the page has no access to the clipboard, but the user does.
      all?.querySelector("input")?.select();
      show(t("copy.byHand"));
    }
  }
  return h("div", { class: "invitation" }, field, button, ...more, status);
}
