// @ts-check
/** Sheets: what explains or asks comes from the side (on a phone from below) and leaves the table in sight. */

import { h, icon } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * Makes a sheet that is not open yet. Escape and the cross close it; the keyboard's focus stays inside while it is
 * modal, and returns to where it was.
 * @param {string} id
 * @param {string} title
 * @param {Child[]} inside
 * @param {object} [options]
 * @param {HTMLElement[]} [options.actions] buttons at its foot
 * @param {() => void} [options.onclose]
 * @returns {HTMLDialogElement}
 */
export function sheet(id, title, inside, { actions = [], onclose } = {}) {
  document.getElementById(id)?.remove();
  const heading = h("h2", { id: `${id}-title` }, title);
  const shut = () => dialog.close();
  const close = h("button", { class: "close", type: "button", "aria-label": "Close", onclick: shut }, icon("cross"));
  const dialog = h(
    "dialog",
    { id, class: "sheet", "aria-labelledby": heading.id },
    h("div", { class: "sheet-head" }, heading, close),
    h("div", { class: "inside", tabindex: 0 }, ...inside),
    actions.length > 0 && h("div", { class: "sheet-foot" }, ...actions),
  );
  // A press on the veil beside it closes it, too.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) shut();
  });
  if (onclose) dialog.addEventListener("close", onclose);
  document.body.append(dialog);
  return dialog;
}
