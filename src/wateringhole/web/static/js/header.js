// @ts-check
/** The header of a table: the phases of a turn, and the most important facts. */

import { byId, h, icon, setAttribute } from "./dom.js";
import { t } from "./text.js";
import { themeButton } from "./theme.js";

/** @typedef {import("./types.js").Guide} Guide */

export function createHeader() {
  const phases = byId("phases");
  const facts = byId("facts");
  byId("brand").prepend(icon("watering-hole"));
  facts.after(themeButton());
  let lastDrawn = "";

  return {
    /** @param {Guide} guide @param {any} scene @param {boolean} isSpectator */
    show(guide, scene, isSpectator) {
      if (phases.childElementCount !== guide.phases.length)
        phases.replaceChildren(...guide.phases.map(({ name, title }) => h("li", { "data-phase": name }, title)));
      const now = guide.facts(scene);
      for (const item of phases.children)
        setAttribute(item, "aria-current", item.getAttribute("data-phase") === now.phase ? "step" : null);
      const signature = JSON.stringify([now, isSpectator]);
      if (signature === lastDrawn) return;
      lastDrawn = signature;
      facts.replaceChildren(
        ...(isSpectator ? [h("span", { class: "tag" }, t("table.watching"))] : []),
        ...(now.turn ? [h("span", { class: "fact" }, now.turn)] : []),
        ...now.facts.map(({ icon: picture, text, label }) =>
          h(
            "span",
            { class: "fact num" },
            picture && icon(picture),
            h("span", { "aria-hidden": label ? "true" : null }, text),
            label && h("span", { class: "vh" }, label),
          ),
        ),
      );
    },
  };
}
