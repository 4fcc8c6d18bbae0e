// @ts-check
/** Small helpers for building the page. Text goes in as text nodes only, so no name can become markup. */

import { ICONS } from "./icons.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Props class, attributes; on… = listener; data-/aria- as written; null and false leave out */

/**
 * @param {Element} element
 * @param {Props | null} props
 * @param {(Child | Child[])[]} children
 */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === "style") for (const [key, set] of Object.entries(value)) styleOf(element).setProperty(key, set);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false)
    element.append(typeof child === "number" ? String(child) : child);
}

/** @param {Element} element @returns {CSSStyleDeclaration} */
export const styleOf = (element) => /** @type {HTMLElement} */ (element).style;

/**
 * An HTML element.
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
 * An SVG element.
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
const pictures = new Map(Object.entries(ICONS));

/**
 * Adds a game's pictures to those that `icon` knows.
 * @param {Record<string, Shape[]>} shapes by name
 * @param {string} [prefix] before each name, for a page that shows several games
 */
export function defineIcons(shapes, prefix = "") {
  for (const [name, shape] of Object.entries(shapes)) pictures.set(`${prefix}${name}`, shape);
}

/**
 * A picture by its name. Each is put into the document once, on first use, and referred to afterwards:
 * no request is needed for it, also in a file that stands alone.
 * @param {string} name
 * @param {string} [label] what it says to those who do not see it; without one it is decoration
 * @returns {SVGElement}
 */
export function icon(name, label) {
  const id = `icon-${name}`;
  if (!document.getElementById(id)) {
    const shapes = (pictures.get(name) ?? []).map(([tag, attributes]) => svg(tag, attributes));
    sprite().append(svg("symbol", { id, viewBox: "0 0 48 48" }, ...shapes));
  }
  const spoken = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { class: "icon", focusable: "false", ...spoken }, svg("use", { href: `#${id}` }));
}

function sprite() {
  let store = document.getElementById("icons");
  if (!store) {
    const made = svg("svg", { id: "icons", class: "sprite", "aria-hidden": "true" });
    document.body.append(made);
    return made;
  }
  return store;
}

/**
 * The element with this id, which the page's HTML promises.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * Gives an element exactly these children, and leaves alone those that are in place already.
 * @param {Element} parent
 * @param {Node[]} wanted
 */
export function arrange(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of [...parent.childNodes]) if (!keep.has(child)) child.remove();
  let here = parent.firstChild;
  for (const child of wanted) {
    if (child === here) here = here.nextSibling;
    else parent.insertBefore(child, here);
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

/** Whether the reader asked for less motion. */
export const wantsStillness = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** "A", "A and B", "A, B and C". @param {string[]} items */
export const listed = (items) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
