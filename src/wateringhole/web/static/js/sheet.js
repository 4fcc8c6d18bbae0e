// @ts-check
/** Sheets: dialogs that slide in from the side, or from below on a phone, so that the table stays visible. */

import { h, icon } from "./dom.js";
import { t } from "./text.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * Creates a closed sheet. Escape and the close button close it. While it is modal, the focus stays inside; afterwards
 * it returns to where it was.
 * @param {string} id
 * @param {string} title
 * @param {Child[]} content
 * @param {object} [options]
 * @param {HTMLElement[]} [options.actions] buttons at the bottom
 * @param {() => void} [options.onclose]
 * @returns {HTMLDialogElement}
 */
export function sheet(id, title, content, { actions = [], onclose } = {}) {
  document.getElementById(id)?.remove();
  const heading = h("h2", { id: `${id}-title` }, title);
  const close = () => dialog.close();
  const closeButton = h("button", { class: "close", type: "button", "aria-label": t("sheet.close"), onclick: close }, icon("cross"));
  const dialog = h(
    "dialog",
    { id, class: "sheet", "aria-labelledby": heading.id },
    h("div", { class: "sheet-head" }, heading, closeButton),
    h("div", { class: "inside", tabindex: 0 }, ...content),
    actions.length > 0 && h("div", { class: "sheet-foot" }, ...actions),
  );
  // A click on the backdrop closes the sheet, too.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  if (onclose) dialog.addEventListener("close", onclose);
  document.body.append(dialog);
  return dialog;
}
