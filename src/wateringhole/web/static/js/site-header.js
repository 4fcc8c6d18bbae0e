// @ts-check
/** The header of every page except the table's. */

import { byId, h, icon } from "./dom.js";
import { LANGUAGES, chooseLanguage, language, t } from "./text.js";
import { applySavedTheme, themeButton } from "./theme.js";

const PAGES = [
  ["/", t("nav.tables")],
  ["/replay", t("nav.replays")],
  ["/tournaments", t("nav.tournaments")],
  ["/standings", t("nav.standings")],
  ["/me", t("nav.me")],
];

const brandParts = () => [icon("watering-hole"), h("span", null, t("brand"))];

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
    h("a", { class: "brand", href: "/", "aria-label": t("brand") }, ...brandParts()),
    h(
      "nav",
      { "aria-label": t("nav.label") },
      ...PAGES.map(([address, name]) => h("a", { href: address, "aria-current": address === current ? "page" : null }, name)),
    ),
    h("span", { class: "push" }),
    ...tools,
    languageButton(),
    themeButton(),
  );
  // On a phone, the navigation scrolls.
  document.querySelector("#site-header nav [aria-current]")?.scrollIntoView({ inline: "nearest", block: "nearest" });
}

const otherLanguage = language === "en" ? "pt" : "en";

/** Creates the button that switches to the other language. */
export function languageButton() {
  const name = LANGUAGES[otherLanguage];
  const code = otherLanguage.toUpperCase();
  return h("button", { class: "tool language", type: "button", lang: otherLanguage, title: name, "aria-label": `${code}: ${name}`, onclick: () => chooseLanguage(otherLanguage) }, code);
}

/** Creates the same button with the name of the language, for a dialog. */
export const languageChoice = () =>
  h("button", { class: "btn ghost", type: "button", lang: otherLanguage, onclick: () => chooseLanguage(otherLanguage) }, LANGUAGES[otherLanguage]);
