// @ts-check
/** A pop-up list: the highlighted zones of a board on touch screens, or the options of a species. */

import { h, icon } from "/static/js/dom.js";

/** @typedef {{text: string, icon: string, act: () => void}} Choice */

/** @param {HTMLElement} root */
export function createChoices(root) {
  const element = h("div", { class: "choices paper", role: "group", hidden: true });
  root.append(element);
  /** @type {HTMLElement | null} */
  let opener = null;

  function close() {
    element.hidden = true;
    opener = null;
  }

  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    const back = opener;
    close();
    back?.focus();
  });

  return {
    close,
    contains: (/** @type {Node} */ node) => element.contains(node),
    /** @param {HTMLElement} anchor @param {string} title @param {Choice[]} items */
    open(anchor, title, items) {
      opener = anchor;
      element.setAttribute("aria-label", title);
      element.replaceChildren(
        h("h2", null, title),
        ...items.map(({ text, icon: picture, act }) =>
          h("button", { class: "option", type: "button", onclick: () => (close(), act()) }, icon(picture), h("span", null, text)),
        ),
      );
      element.hidden = false;
      const box = anchor.getBoundingClientRect();
      const { width, height } = element.getBoundingClientRect();
      const left = Math.max(8, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 8));
      const top = Math.max(8, Math.min(box.top + 8, innerHeight - height - 8));
      element.style.setProperty("left", `${left}px`);
      element.style.setProperty("top", `${top}px`);
      element.querySelector("button")?.focus();
    },
  };
}
