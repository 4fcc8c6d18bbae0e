// @ts-check
/** Any JSON value as a readable tree. What has changed since it was last drawn is marked. */

import { h } from "../dom.js";

/** An inner part with more lines than this is folded up until it is opened. */
const MOST_LINES = 12;

/** @param {any} value */
const isScalar = (value) => value === null || typeof value !== "object";

/** @param {any} value a scalar, or a list of scalars */
const isShort = (value) => isScalar(value) || (Array.isArray(value) && value.every(isScalar));

/** @param {any} value @returns {string} */
function spoken(value) {
  if (Array.isArray(value)) return value.length ? value.map(spoken).join(", ") : "none";
  if (value === null || value === "") return "none";
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/** @param {string} title @param {string[]} names of the players, for fields that name a seat */
export function createTree(title, names) {
  const body = h("div", { class: "tree" });
  const root = h("section", { class: "paper", "aria-label": title }, h("h2", null, title), body);
  /** By path: what was drawn there. @type {Map<string, string>} */
  let before = new Map();
  /** @type {Map<string, string>} */
  let now = new Map();
  /** Paths of the inner parts that the reader opened. @type {Set<string>} */
  const opened = new Set();

  /** @param {string} text @param {string} path */
  function leaf(text, path) {
    now.set(path, text);
    const isNew = before.size > 0 && before.get(path) !== text;
    return h("span", { class: isNew ? "changed" : null }, text);
  }

  /** @param {any} value @param {string} path @param {string} key @returns {Node} */
  function branch(value, path, key) {
    if (key === "seat" && names[value] !== undefined) return leaf(names[value], path);
    if (isShort(value)) return leaf(spoken(value), path);
    const entries = Object.entries(value);
    if (entries.length === 0) return leaf("none", path);
    const inner = Array.isArray(value)
      ? h("ol", null, ...entries.map(([index, each]) => h("li", null, branch(each, `${path}/${index}`, ""))))
      : h("dl", null, ...entries.map(([name, each]) => row(name, each, `${path}/${name}`)));
    if (path === "" || entries.length <= MOST_LINES) return inner;
    const fold = h("details", { open: opened.has(path) }, h("summary", null, `${entries.length} entries`), inner);
    fold.addEventListener("toggle", () => (fold.open ? opened.add(path) : opened.delete(path)));
    return fold;
  }

  /** @param {string} name @param {any} value @param {string} path */
  const row = (name, value, path) =>
    h("div", { class: isShort(value) ? "short" : null }, h("dt", null, name.replaceAll("_", " ")), h("dd", null, branch(value, path, name)));

  return {
    root,
    /** @param {any} value */
    draw(value) {
      now = new Map();
      body.replaceChildren(branch(value, "", ""));
      before = now;
    },
  };
}
