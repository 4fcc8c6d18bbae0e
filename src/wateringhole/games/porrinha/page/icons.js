// @ts-check
/** Porrinha's icons. */

import { ICONS as SHARED, accent, solid } from "/static/js/icons.js";

/** @type {Record<string, import("/static/js/icons.js").Shape[]>} */
export const ICONS = {
  call: SHARED.call,
  "open-hand": SHARED["open-hand"],
  paw: SHARED.paw,
  fist: [
    solid("M7 14.5C7 11 13.5 10.5 14.3 14L15 22.5L8 24C7 21 7 17.5 7 14.5Z"),
    solid("M16.5 9.5C17 6 23.3 6 24 9.5L24.3 21.3L17.3 22.2Z"),
    solid("M26 9C26.5 6 32.5 6 33 9.5L33 20.5L26.6 21Z"),
    solid("M35.2 11.5C36 9 41 9.5 41.3 13L41 21.5L35.2 20.6Z"),
    solid("M8.5 26.5L32 22.8C36.5 22.5 37.5 28 33.5 29L25.5 30.5C24.5 32.5 23 34 21 35C25 34.8 28 33 29.5 31.3L34 30.3C38 29.3 39 25.5 38 23.3L41 23.8C42.5 29 41 34 37.5 37.5L37 45.5L15 45.5L14.5 39C11 36 9 31 8.5 26.5Z"),
  ],
  stick: [
    solid("M9.5 43.5L4.5 38.5L33 10L38 15ZM11 38.5Q20.2 31.1 27 21.5Q17.8 28.9 11 38.5Z"),
    accent("M34.5 8.5C36 4 41 2.5 43.8 4.2C45.5 7 44 12 39.5 13.5Z"),
  ],
};
