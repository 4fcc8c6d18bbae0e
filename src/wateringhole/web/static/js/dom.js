// @ts-check
/** Small helpers for building the page. Text is inserted only as text nodes, so a name can't become markup. */

import { ICONS } from "./icons.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Props attributes by name; `on…` adds a listener; null and false are left out */

/**
 * @param {Element} element
 * @param {Props | null} props
 * @param {(Child | Child[])[]} children
 */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on")) listen(element, name.slice(2).toLowerCase(), value);
    else if (name === "style") for (const [key, set] of Object.entries(value)) styleOf(element).setProperty(key, set);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false)
    element.append(typeof child === "number" ? String(child) : child);
}

/** The listeners that each element was created with, by event. @type {WeakMap<Element, Map<string, (event: any) => void>>} */
const listeners = new WeakMap();

/** @param {Element} element @param {string} name @param {(event: any) => void} listener */
function listen(element, name, listener) {
  const own = listeners.get(element) ?? new Map();
  listeners.set(element, own);
  if (!own.has(name)) element.addEventListener(name, (event) => own.get(name)?.(event));
  own.set(name, listener);
}

/** Gives an element the listeners with which another one was created, in place of its own. @param {Element} element @param {Element} other */
export function takeListeners(element, other) {
  for (const name of listeners.get(element)?.keys() ?? []) listen(element, name, () => {});
  for (const [name, listener] of listeners.get(other) ?? []) listen(element, name, listener);
}

/** @param {Element} element @returns {CSSStyleDeclaration} */
export const styleOf = (element) => /** @type {HTMLElement} */ (element).style;

/**
 * Creates an HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  fill(element, props ?? null, children);
  return element;
}

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, props, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  fill(element, props ?? null, children);
  return element;
}

/** @typedef {import("./icons.js").Shape} Shape */

/** @type {Map<string, Shape[]>} */
const icons = new Map(Object.entries(ICONS));

/**
 * Adds a game's icons to those that `icon` can draw.
 * @param {Record<string, Shape[]>} shapes by name
 * @param {string} [prefix] put before each name, for a page that shows several games
 */
export function defineIcons(shapes, prefix = "") {
  for (const [name, shape] of Object.entries(shapes)) icons.set(`${prefix}${name}`, shape);
}

/**
 * Creates an icon. Its shapes are added to the document once, on first use, and referenced afterwards.
 * So icons need no request, not even in a self-contained file.
 * @param {string} name
 * @param {string} [label] the text for screen readers; without one the icon is decorative
 * @returns {SVGElement}
 */
export function icon(name, label) {
  const id = `icon-${name}`;
  if (!document.getElementById(id)) {
    const shapes = (icons.get(name) ?? []).map(([tag, attributes]) => svg(tag, attributes));
    sprite().append(svg("symbol", { id, viewBox: "0 0 48 48" }, ...shapes));
  }
  const accessibility = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { class: "icon", focusable: "false", ...accessibility }, svg("use", { href: `#${id}` }));
}

function sprite() {
  const existing = document.getElementById("icons");
  if (existing) return existing;
  const created = svg("svg", { id: "icons", class: "sprite", "aria-hidden": "true" });
  document.body.append(created);
  return created;
}

/**
 * Returns the element with this id, which the page's HTML must contain.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * Gives an element exactly these children, without touching those already in place.
 * @param {Element} parent
 * @param {Node[]} children
 */
export function setChildren(parent, children) {
  const kept = new Set(children);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  let position = parent.firstChild;
  for (const child of children) {
    if (child === position) position = position.nextSibling;
    else parent.insertBefore(child, position);
  }
}

/** @param {Element} element @param {string} name @param {string | null} value */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns whether the user asked for reduced motion. */
export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
