// @ts-check
/**
 * Redrawing without replacing what stays the same. An element that is replaced between a press and its release loses
 * the click, and the focus.
 */

import { setAttribute, setChildren, styleOf, takeListeners } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * Gives an element this content. A child that is like a wanted one (the same tag, and the same `data-key` or id) stays
 * and takes over its attributes, listeners and content; the wanted one is dropped. So keep no reference to a part of
 * the content, and read a control in its listener from the event. A child that is in place already stays as it is.
 * @param {Element} parent
 * @param {Child[]} content
 */
export function patchChildren(parent, content) {
  const wanted = content.filter((child) => child !== null && child !== undefined && child !== false).map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
  const spare = [...parent.childNodes].filter((child) => !wanted.includes(child));
  setChildren(parent, wanted.map((node) => (node.parentNode === parent ? node : patched(spare, node))));
}

/** Returns the first spare node that is like another one, with its content, or that other one. @param {Node[]} spare @param {Node} node */
function patched(spare, node) {
  const index = spare.findIndex((old) => old.nodeName === node.nodeName && keyOf(old) === keyOf(node));
  const [old] = index < 0 ? [] : spare.splice(index, 1);
  if (!old) return node;
  if (old instanceof Element && node instanceof Element) patch(old, node);
  else if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
  return old;
}

/** @param {Node} node */
const keyOf = (node) => (node instanceof Element ? (node.getAttribute("data-key") ?? node.id) : "");

/** @param {Element} old @param {Element} node */
function patch(old, node) {
  // The policy of the page forbids the attribute `style`; the user opens and closes details.
  const kept = old instanceof HTMLDetailsElement ? ["style", "open"] : ["style"];
  const names = new Set([...old.getAttributeNames(), ...node.getAttributeNames()]);
  for (const name of names) if (!kept.includes(name)) setAttribute(old, name, node.getAttribute(name));
  if (styleOf(old).cssText !== styleOf(node).cssText) styleOf(old).cssText = styleOf(node).cssText;
  takeListeners(old, node);
  // The choice is read first, because new options move from one element to the other.
  const choice = node instanceof HTMLSelectElement ? node.value : null;
  patchChildren(old, [...node.childNodes]);
  // What the user has entered stays, but a choice follows the state.
  if (old instanceof HTMLSelectElement && choice !== null) old.value = choice;
}
