// @ts-check
/** The header of every page except the table's. */

import { byId, h, icon } from "./dom.js";
import { applySavedTheme, themeButton } from "./theme.js";

const PAGES = [
  ["/", "Tables"],
  ["/replay", "Replays"],
  ["/standings", "Standings"],
];

const brandParts = () => [icon("watering-hole"), h("span", null, "Watering Hole")];

/** Fills the header of a self-contained file, which has no other pages to link to. */
export function showBrandOnly() {
  applySavedTheme();
  byId("site-header").replaceChildren(h("span", { class: "brand" }, ...brandParts()), h("span", { class: "push" }), themeButton());
}

/**
 * Fills the header of a page.
 * @param {string} current the path of this page
 * @param {...HTMLElement} tools elements at the right end
 */
export function showSiteHeader(current, ...tools) {
  applySavedTheme();
  byId("site-header").replaceChildren(
    h("a", { class: "brand", href: "/", "aria-label": "Watering Hole" }, ...brandParts()),
    h(
      "nav",
      { "aria-label": "Main" },
      ...PAGES.map(([address, name]) => h("a", { href: address, "aria-current": address === current ? "page" : null }, name)),
    ),
    h("span", { class: "push" }),
    ...tools,
    themeButton(),
  );
}
