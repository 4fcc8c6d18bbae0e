// @ts-check
/** The bot at a seat: its picture, which opens its description and level. */

import { h } from "./dom.js";
import { formatRating, levelName, paws } from "./levels.js";
import { portrait } from "./portrait.js";
import { sheet } from "./sheet.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").SeatInfo} SeatInfo */

/** Returns the picture of a seat's bot as a list of one button; none for other players. @param {SeatInfo | undefined} seat */
export function botButtons(seat) {
  if (!seat?.bot) return [];
  const label = t("bot.about", { name: seat.name });
  const open = () => openBot(seat);
  return [h("button", { class: "bot-face", type: "button", "data-key": "bot", "aria-haspopup": "dialog", "aria-label": label, title: seat.bot.text, onclick: open }, portrait(seat.bot.name, seat.bot.face))];
}

/** @param {SeatInfo} seat */
function openBot({ name, bot }) {
  if (!bot) return;
  const { level, rating, error } = bot;
  const strength = level !== null && h("p", null, h("b", null, levelName(level)), " ", paws(level));
  const rated = rating !== null && h("p", { class: "small quiet" }, t("bot.rating", { rating: formatRating(rating, error ?? 0) }));
  const card = h("div", { class: "bot-card" }, portrait(bot.name, bot.face), h("div", null, strength, h("p", null, bot.text), rated));
  sheet("bot", name, [card]).showModal();
}
