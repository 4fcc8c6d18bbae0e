// @ts-check
/** The sign over the door: the same header on every page but the table's. */

import { byId, h, icon } from "./dom.js";
import { followTheme, themeButton } from "./theme.js";

const PAGES = [
  ["/", "Tables"],
  ["/replay", "Replays"],
  ["/standings", "Standings"],
];

const sign = () => [icon("watering-hole"), h("span", null, "Watering Hole")];

/** The header of a file that stands alone: it leads nowhere. */
export function hangSign() {
  followTheme();
  byId("door").replaceChildren(h("span", { class: "brand" }, ...sign()), h("span", { class: "push" }), themeButton());
}

/**
 * Fills the header of a page.
 * @param {string} here the page's own address in the list
 * @param {...HTMLElement} tools what stands at its right end
 */
export function openDoor(here, ...tools) {
  followTheme();
  byId("door").replaceChildren(
    h("a", { class: "brand", href: "/", "aria-label": "Watering Hole" }, ...sign()),
    h(
      "nav",
      { "aria-label": "Main" },
      ...PAGES.map(([address, name]) => h("a", { href: address, "aria-current": address === here ? "page" : null }, name)),
    ),
    h("span", { class: "push" }),
    ...tools,
    themeButton(),
  );
}
