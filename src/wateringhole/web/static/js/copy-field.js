// @ts-check
/** A text with a button that copies it. */

import { h } from "./dom.js";
import { t } from "./text.js";

/** @param {string} label @param {string} text @param {...HTMLElement} more further buttons */
export function copyField(label, text, ...more) {
  const select = () => field.select();
  const field = h("input", { class: "field", readonly: true, value: text, "aria-label": label, onfocus: select });
  const button = h("button", { class: "btn", type: "button", onclick: copy }, t("copy.button"));
  const status = h("span", { class: "small", role: "status" });
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = t("copy.done");
    } catch {
      // Without a secure connection the page has no access to the clipboard, but the user does.
      field.select();
      status.textContent = t("copy.byHand");
    }
  }
  return h("div", { class: "invitation" }, field, button, ...more, status);
}
