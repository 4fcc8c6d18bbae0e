// @ts-check
/**
 * The one bubble of the table. It explains what the pointer or the focus rests on; and it says why something cannot
 * be done, then staying until the next thing is done. On a phone it lies above the bottom bar.
 */

import { h } from "/static/js/dom.js";

/** @typedef {(target: HTMLElement) => (Node[] | null)} Describe */

const HOVER_MS = 280;
const GAP = 10;

/**
 * @param {HTMLElement} root
 * @param {string} selector what can be explained
 * @param {Describe} describe
 */
export function createTip(root, selector, describe) {
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
    place(target);
  }

  function hide() {
    clearTimeout(timer);
    anchor?.removeAttribute("aria-describedby");
    anchor = null;
    isSticky = false;
    element.hidden = true;
  }

  /** @param {HTMLElement} target */
  function place(target) {
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
  const explained = (target) =>
    target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(selector)) : null;

  /** @param {HTMLElement | null} target */
  function explain(target) {
    const content = target && describe(target);
    if (target && content) show(target, content, false);
    else if (!isSticky) hide();
  }

  root.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch" || event.buttons || isSticky) return;
    const target = explained(event.target);
    if (target === anchor) return;
    clearTimeout(timer);
    if (!target) hide();
    else timer = setTimeout(() => explain(target), anchor ? 60 : HOVER_MS);
  });
  root.addEventListener("pointerleave", () => {
    if (!isSticky) hide();
  });
  root.addEventListener("focusin", (event) => {
    const target = explained(event.target);
    // A press focuses, too; only the keyboard's focus asks for an explanation.
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
    /** Says why not, beside the thing. @param {HTMLElement} target @param {string} text */
    say(target, text) {
      show(target, [h("p", null, text)], true);
    },
  };
}
