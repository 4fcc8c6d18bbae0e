// @ts-check
/** Filling panels anew without losing the keyboard's place. */

import { h } from "/static/js/dom.js";

/** @typedef {import("/static/js/dom.js").Child} Child */

/** @param {HTMLElement} panel @param {Child[]} content nothing: the panel is put away */
export function refill(panel, content) {
  const focused = document.activeElement;
  const key = focused && panel.contains(focused) ? focused.getAttribute("data-key") : null;
  const nodes = content.filter((child) => child !== null && child !== undefined && child !== false);
  panel.replaceChildren(...nodes.map((child) => (child instanceof Node ? child : String(child))));
  panel.hidden = nodes.length === 0;
  if (key) /** @type {HTMLElement | null} */ (panel.querySelector(`[data-key="${key}"]`))?.focus();
}

/**
 * A button. One that cannot be pressed now stays reachable and says why.
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

/** Fingers get lists instead of small marks. */
export const isCoarse = () => matchMedia("(pointer: coarse)").matches;

/** A phone has no room for the panel that explains a card: the line at the top does it there. */
export const isNarrow = () => matchMedia("(max-width: 760px)").matches;
