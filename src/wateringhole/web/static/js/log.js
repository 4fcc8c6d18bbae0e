// @ts-check
/** The log: sentences about every event. Screen readers read new lines even while the log is hidden. */

import { byId, h, icon } from "./dom.js";

export function createLog() {
  const panel = byId("log");
  const region = byId("log-lines");
  const lines = /** @type {HTMLElement} */ (region.firstElementChild);
  const openButton = byId("log-button");
  const closeButton = byId("log-close");
  closeButton.append(icon("cross"));
  openButton.addEventListener("click", toggle);
  closeButton.addEventListener("click", toggle);
  // The closed log stays in the document, so that screen readers still announce new lines.
  panel.hidden = false;
  panel.classList.add("vh");
  closeButton.tabIndex = region.tabIndex = -1;

  function toggle() {
    const isOpen = panel.classList.toggle("vh") === false;
    document.body.classList.toggle("with-log", isOpen);
    openButton.setAttribute("aria-expanded", String(isOpen));
    closeButton.tabIndex = region.tabIndex = isOpen ? 0 : -1;
    region.scrollTop = region.scrollHeight;
    (isOpen ? closeButton : openButton).focus({ preventScroll: true });
  }

  return {
    toggle,
    /** @param {string[]} texts @param {string | null} picture @param {RegExp} [heading] matches a line that starts a section */
    add(texts, picture, heading) {
      const atEnd = region.scrollHeight - region.scrollTop - region.clientHeight < 40;
      for (const text of texts) {
        const isHeading = heading?.test(text) ?? false;
        const mark = !isHeading && picture && icon(picture);
        lines.append(h("li", { class: isHeading ? "heading" : null }, mark, h("span", null, text)));
      }
      if (atEnd) region.scrollTop = region.scrollHeight;
    },
    clear: () => lines.replaceChildren(),
  };
}
