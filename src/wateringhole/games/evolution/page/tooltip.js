// @ts-check
/**
 * The tooltip of the table. It explains the element under the pointer or with the focus. It also shows why something
 * isn't possible, and then stays until the next action. On a phone it is above the bottom bar.
 */

import { h } from "/static/js/dom.js";

/** @typedef {(target: HTMLElement) => (Node[] | null)} Describe */

const HOVER_MS = 280;
const GAP = 10;

/**
 * @param {HTMLElement} root
 * @param {string} selector elements with a tooltip
 * @param {Describe} describe
 */
export function createTooltip(root, selector, describe) {
  const element = h("div", { class: "tip", id: "tip", role: "tooltip", hidden: true });
  root.append(element);
  /** @type {HTMLElement | null} */
  let anchor = null;
  let isSticky = false;
  let timer = 0;

  /** @param {HTMLElement} target @param {Node[]} content @param {boolean} sticky */
  function show(target, content, sticky) {
    hide();
    anchor = target;
    isSticky = sticky;
    element.replaceChildren(...content);
    element.hidden = false;
    element.classList.toggle("why", sticky);
    target.setAttribute("aria-describedby", element.id);
    position(target);
  }

  function hide() {
    clearTimeout(timer);
    anchor?.removeAttribute("aria-describedby");
    anchor = null;
    isSticky = false;
    element.hidden = true;
  }

  /** @param {HTMLElement} target */
  function position(target) {
    const box = target.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const left = Math.max(GAP, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - GAP));
    const below = box.bottom + GAP;
    const fits = below + height < innerHeight - GAP;
    const top = fits ? below : Math.max(GAP, box.top - height - GAP);
    element.style.setProperty("left", `${left}px`);
    element.style.setProperty("top", `${top}px`);
    element.style.setProperty("--tip-x", `${box.left + box.width / 2 - left}px`);
    element.classList.toggle("above", !fits);
  }

  /** @param {EventTarget | null} target */
  const targetOf = (target) =>
    target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(selector)) : null;

  /** @param {HTMLElement | null} target */
  function explain(target) {
    const content = target && describe(target);
    if (target && content) show(target, content, false);
    else if (!isSticky) hide();
  }

  root.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch" || event.buttons || isSticky) return;
    const target = targetOf(event.target);
    if (target === anchor) return;
    clearTimeout(timer);
    if (!target) hide();
    else timer = setTimeout(() => explain(target), anchor ? 60 : HOVER_MS);
  });
  root.addEventListener("pointerleave", () => {
    if (!isSticky) hide();
  });
  root.addEventListener("focusin", (event) => {
    const target = targetOf(event.target);
    // A click focuses, too, but only keyboard focus opens the tooltip.
    if (target && !isSticky && event.target instanceof Element && event.target.matches(":focus-visible")) explain(target);
  });
  root.addEventListener("focusout", () => {
    if (!isSticky) hide();
  });
  for (const name of ["scroll", "resize"]) addEventListener(name, hide, { capture: true, passive: true });

  return {
    element,
    hide,
    explain,
    isOpen: () => !element.hidden,
    /** Shows a reason next to an element. @param {HTMLElement} target @param {string} text */
    showReason(target, text) {
      show(target, [h("p", null, text)], true);
    },
  };
}
