// @ts-check
/** The bar of a table: phases of a turn, and the facts everybody wants at a glance. */

import { byId, h, icon, setAttribute } from "./dom.js";
import { themeButton } from "./theme.js";

/** @typedef {import("./types.js").Guide} Guide */

export function createHeader() {
  const phases = byId("phases");
  const facts = byId("facts");
  byId("brand").prepend(icon("watering-hole"));
  facts.after(themeButton());
  let drawn = "";

  return {
    /** @param {Guide} guide @param {any} scene @param {boolean} isWatcher */
    show(guide, scene, isWatcher) {
      if (phases.childElementCount !== guide.phases.length)
        phases.replaceChildren(...guide.phases.map(({ name, title }) => h("li", { "data-phase": name }, title)));
      const now = guide.facts(scene);
      for (const each of phases.children)
        setAttribute(each, "aria-current", each.getAttribute("data-phase") === now.phase ? "step" : null);
      const signature = JSON.stringify([now, isWatcher]);
      if (signature === drawn) return;
      drawn = signature;
      facts.replaceChildren(
        ...(isWatcher ? [h("span", { class: "tag" }, "watching")] : []),
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
