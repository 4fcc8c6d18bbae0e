// @ts-check
/** Panels: filling them without losing the focus, and their buttons. */

import { h } from "/static/js/dom.js";
import { patchChildren } from "/static/js/patch.js";

/** @typedef {import("/static/js/dom.js").Child} Child */

/**
 * Gives a panel this content. What is already there stays in place, so that a press on it becomes a click.
 * @param {HTMLElement} panel
 * @param {Child[]} content an empty list hides the panel
 */
export function fillPanel(panel, content) {
  const focused = document.activeElement;
  const key = focused && panel.contains(focused) ? focused.getAttribute("data-key") : null;
  patchChildren(panel, content);
  panel.hidden = !panel.hasChildNodes();
  if (key) /** @type {HTMLElement | null} */ (panel.querySelector(`[data-key="${key}"]`))?.focus();
}

/**
 * Creates a button. A disabled one stays focusable, so that it can explain itself.
 * @param {string} text
 * @param {string} kind
 * @param {() => void} act
 * @param {{key?: string, off?: boolean, name?: string}} [more]
 */
export function button(text, kind, act, { key, off = false, name } = {}) {
  return h(
    "button",
    { class: `btn ${kind}`, type: "button", "data-key": name ?? text, "aria-disabled": off ? "true" : null, onclick: act },
    h("span", null, text),
    key && h("kbd", { "aria-hidden": "true" }, key),
  );
}

/** Returns whether to show lists instead of small targets, for fingers. */
export const isCoarse = () => matchMedia("(pointer: coarse)").matches;

/** Returns whether there is no room for the panels, as on a phone; then the status bar explains a card. */
export const isNarrow = () => matchMedia("(max-width: 760px)").matches;
