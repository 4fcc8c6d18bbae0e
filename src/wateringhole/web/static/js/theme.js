// @ts-check
/** Noon or moonlight: the system's wish, unless the reader chose otherwise on this machine. */

import { h, icon } from "./dom.js";

const KEY = "theme";

/** @returns {"light" | "dark"} */
function shown() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// The frame of a notebook has no storage: there every choice is forgotten.

/** @returns {string | null} */
function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** @param {string} theme */
function remember(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    /* forgotten */
  }
}

/** Follows the choice made earlier, if there was one. */
export function followTheme() {
  const chosen = remembered();
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}

/** A button for the header. */
export function themeButton() {
  const button = h("button", { class: "tool theme", type: "button", onclick: change }, icon("theme"));
  name();
  function name() {
    button.setAttribute("aria-label", shown() === "dark" ? "Show it by day" : "Show it by moonlight");
  }
  function change() {
    const next = shown() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember(next);
    name();
  }
  return button;
}
