// @ts-check
/** Shows any JSON value as a readable tree, and marks what has changed since it was last drawn. */

import { h } from "../dom.js";
import { t } from "../text.js";

/** A nested part with more lines than this starts collapsed. */
const MAX_LINES = 12;

/** @param {any} value */
const isScalar = (value) => value === null || typeof value !== "object";

/** @param {any} value */
const isShort = (value) => isScalar(value) || (Array.isArray(value) && value.every(isScalar));

/** @param {any} value @returns {string} */
function format(value) {
  if (Array.isArray(value)) return value.length ? value.map(format).join(", ") : t("plain.none");
  if (value === null || value === "") return t("plain.none");
  return typeof value === "boolean" ? (value ? t("rules.yes") : t("rules.no")) : String(value);
}

/** @param {string} title @param {string[]} names of the players, shown in fields named `seat` */
export function createTree(title, names) {
  const body = h("div", { class: "tree" });
  const root = h("section", { class: "paper", "aria-label": title }, h("h2", null, title), body);
  /** The texts drawn last, by path. @type {Map<string, string>} */
  let previous = new Map();
  /** @type {Map<string, string>} */
  let current = new Map();
  /** Paths of the nested parts that the user opened. @type {Set<string>} */
  const opened = new Set();

  /** @param {string} text @param {string} path */
  function leafNode(text, path) {
    current.set(path, text);
    const hasChanged = previous.size > 0 && previous.get(path) !== text;
    return h("span", { class: hasChanged ? "changed" : null }, text);
  }

  /** @param {any} value @param {string} path @param {string} key @returns {Node} */
  function branchNode(value, path, key) {
    if (key === "seat" && names[value] !== undefined) return leafNode(names[value], path);
    if (isShort(value)) return leafNode(format(value), path);
    const entries = Object.entries(value);
    if (entries.length === 0) return leafNode(t("plain.none"), path);
    const inner = Array.isArray(value)
      ? h("ol", null, ...entries.map(([index, each]) => h("li", null, branchNode(each, `${path}/${index}`, ""))))
      : h("dl", null, ...entries.map(([name, each]) => row(name, each, `${path}/${name}`)));
    if (path === "" || entries.length <= MAX_LINES) return inner;
    const fold = h("details", { open: opened.has(path) }, h("summary", null, t("plain.entries", { count: entries.length })), inner);
    fold.addEventListener("toggle", () => (fold.open ? opened.add(path) : opened.delete(path)));
    return fold;
  }

  /** @param {string} name @param {any} value @param {string} path */
  const row = (name, value, path) =>
    h("div", { class: isShort(value) ? "short" : null }, h("dt", null, name.replaceAll("_", " ")), h("dd", null, branchNode(value, path, name)));

  return {
    root,
    /** @param {any} value */
    draw(value) {
      current = new Map();
      body.replaceChildren(branchNode(value, "", ""));
      previous = current;
    },
  };
}
