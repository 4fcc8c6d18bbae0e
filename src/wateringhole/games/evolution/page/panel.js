// @ts-check
/** Panels: filling them without losing the focus, and their buttons. */

import { h, setChildren } from "/static/js/dom.js";

/** @typedef {import("/static/js/dom.js").Child} Child */

/**
 * Gives a panel this content. An element that is already there stays in place, so that a press on it becomes a click.
 * @param {HTMLElement} panel
 * @param {Child[]} content an empty list hides the panel
 */
export function fillPanel(panel, content) {
  const focused = document.activeElement;
  const key = focused && panel.contains(focused) ? focused.getAttribute("data-key") : null;
  const nodes = content.filter((child) => child !== null && child !== undefined && child !== false);
  setChildren(panel, nodes.map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
  panel.hidden = nodes.length === 0;
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
