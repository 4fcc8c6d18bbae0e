// @ts-check
/** A game in five pictures, for players who are new to it. The game supplies the pictures and their sentences. */

import { h } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";
import { sheet } from "./sheet.js";
import { t } from "./text.js";

/** @typedef {{picture: SVGElement, text: string}} Picture */

/** Whether the pictures of an invitation are shown. */
const PREFERENCE = "pictures";

/** @param {string} address of the game's module, which exports `pictures` @returns {Promise<HTMLElement>} */
async function pictureList(address) {
  /** @type {Picture[]} */
  const pictures = (await import(address)).pictures();
  const items = pictures.map(({ picture, text }, index) => {
    picture.setAttribute("aria-hidden", "true");
    return h("li", null, h("figure", { class: "paper" }, picture, h("figcaption", null, h("b", { class: "num" }, index + 1), h("span", null, text))));
  });
  return h("ol", { class: "pictures", tabindex: 0, "aria-label": t("pictures.title") }, items);
}

/** Returns the pictures for an invitation, which can be put away, or null if the game has none. @param {string | null} address */
export async function foldedPictures(address) {
  if (!address) return null;
  const isOpen = loadPreference(PREFERENCE) !== "closed";
  // A click opens or closes the box after this function. The event `toggle` comes later, or never if the page is left first.
  const save = () => savePreference(PREFERENCE, details.open ? "closed" : "open");
  const details = h("details", { class: "picture-box", open: isOpen }, h("summary", { onclick: save }, t("pictures.title")), await pictureList(address));
  return details;
}

/** Returns the buttons that open the pictures: one, or none if the game has no pictures. @param {string | null} address */
export function picturesButtons(address) {
  if (!address) return [];
  const open = async () => sheet("pictures", t("pictures.title"), [await pictureList(address)]).showModal();
  return [h("button", { class: "btn ghost", type: "button", "aria-haspopup": "dialog", onclick: open }, t("pictures.title"))];
}
