// @ts-check
/** The log: everything that happened, in words. It is read out as it grows, also while it is not on show. */

import { byId, h, icon } from "./dom.js";

export function createLog() {
  const panel = byId("log");
  const region = byId("log-lines");
  const lines = /** @type {HTMLElement} */ (region.firstElementChild);
  const opener = byId("log-button");
  const close = byId("log-close");
  close.append(icon("cross"));
  opener.addEventListener("click", toggle);
  close.addEventListener("click", toggle);
  // Unseen, but not unheard: the list stays in the document for those who listen.
  panel.hidden = false;
  panel.classList.add("vh");
  close.tabIndex = region.tabIndex = -1;

  function toggle() {
    const opens = panel.classList.toggle("vh") === false;
    document.body.classList.toggle("with-log", opens);
    opener.setAttribute("aria-expanded", String(opens));
    close.tabIndex = region.tabIndex = opens ? 0 : -1;
    region.scrollTop = region.scrollHeight;
    (opens ? close : opener).focus({ preventScroll: true });
  }

  return {
    toggle,
    /** @param {string[]} texts @param {string | null} picture @param {RegExp} [heading] matches a line that opens something */
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
