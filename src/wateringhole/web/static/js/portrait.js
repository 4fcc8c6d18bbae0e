// @ts-check
/** Portraits of players, drawn from a few parts. A bot's parts come from its game, those of other players from the name. */

import { h, svg } from "./dom.js";

/** @typedef {import("./types.js").FaceInfo} FaceInfo */

const HEAD = "M24 12C33.5 12 40 19 40 28.5C40 38 33 44 24 44C15 44 8 38 8 28.5C8 19 14.5 12 24 12Z";

/** Behind the head: [outer shape, inner shape in the accent colour]. @type {Record<string, [string, string]>} */
const EARS = {
  round: ["M5 16a8 8 0 1 0 16 0a8 8 0 1 0 -16 0ZM27 16a8 8 0 1 0 16 0a8 8 0 1 0 -16 0Z", "M9.5 15.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0ZM31.5 15.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z"],
  pointed: ["M8 26L9 4L23 14ZM40 26L39 4L25 14Z", "M11.5 18L12 9.5L18 14ZM36.5 18L36 9.5L30 14Z"],
  long: ["M11 20C8 8 11 1 15 1C20 1 21 10 20 20ZM37 20C40 8 37 1 33 1C28 1 27 10 28 20Z", "M14 15C13 8 14 4.5 15.3 4.5C17 4.5 17.5 9 17 15ZM34 15C35 8 34 4.5 32.7 4.5C31 4.5 30.5 9 31 15Z"],
  horned: ["M3 22C6 17 9 16 13 18L11 27C7 27 4 26 3 22ZM45 22C42 17 39 16 35 18L37 27C41 27 44 26 45 22Z", "M14 17C8 14 6 8 8 3C11 8 15 10 20 12ZM34 17C40 14 42 8 40 3C37 8 33 10 28 12Z"],
  tufts: ["M8 26C7 16 7 9 6 4C12 7 16 9 20 13ZM40 26C41 16 41 9 42 4C36 7 32 9 28 13Z", "M24 13L20.5 5L24 7.5L27.5 5Z"],
};

/** In the colour of the background. @type {Record<string, string>} */
const EYES = {
  round: "M14.5 26a3 3 0 1 0 6 0a3 3 0 1 0 -6 0ZM27.5 26a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z",
  wide: "M12 25.5a5 5 0 1 0 10 0a5 5 0 1 0 -10 0ZM26 25.5a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z",
  sleepy: "M13 25H22Q21.5 29.5 17.5 29.5Q13.5 29.5 13 25ZM26 25H35Q34.5 29.5 30.5 29.5Q26.5 29.5 26 25Z",
  sharp: "M12.5 21.5L22 26.5Q20.5 30 17 29.5Q13.5 28.5 12.5 21.5ZM35.5 21.5L26 26.5Q27.5 30 31 29.5Q34.5 28.5 35.5 21.5Z",
};

/** Drawn on the eyes. */
const PUPILS = "M19 26.3a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0ZM26 26.3a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0Z";

/** In the colour of the background. @type {Record<string, string>} */
const MOUTHS = {
  smile: "M16 34Q24 42.5 32 34Q30 37 24 37Q18 37 16 34Z",
  teeth: "M15 33H33L31 38.5L28.5 34.8L26.2 39L24 34.8L21.8 39L19.5 34.8L17 38.5Z",
  beak: "M24 29.5L29 34.5L24 41L19 34.5Z",
  flat: "M17 35.5H31V38H17Z",
};

const TINTS = ["yellow", "blue", "green", "red"];

/**
 * Returns the portrait of a player, which is decorative: the name is beside it.
 * @param {string} name
 * @param {FaceInfo | null} [face] the parts; without them, the name chooses some
 */
export function portrait(name, face) {
  const { ears, eyes, mouth, tint } = face ?? faceOf(name);
  const [outer, inner] = EARS[ears] ?? EARS.round;
  return h(
    "span",
    { class: `portrait tint-${tint}`, "aria-hidden": "true" },
    svg(
      "svg",
      { viewBox: "0 0 48 48", focusable: "false" },
      svg("path", { d: outer, fill: "currentColor" }),
      svg("path", { d: inner, fill: "var(--tint-ink)" }),
      svg("path", { d: HEAD, fill: "currentColor" }),
      svg("path", { d: EYES[eyes] ?? EYES.round, fill: "var(--tint)" }),
      eyes === "wide" && svg("path", { d: PUPILS, fill: "currentColor" }),
      svg("path", { d: MOUTHS[mouth] ?? MOUTHS.smile, fill: "var(--tint)" }),
    ),
  );
}

/** Returns parts that are always the same for a name. @param {string} name @returns {FaceInfo} */
export function faceOf(name) {
  let number = 7;
  for (const letter of name) number = (number * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  /** @param {string[]} parts */
  const take = (parts) => {
    const part = parts[number % parts.length] ?? "";
    number = Math.floor(number / parts.length);
    return part;
  };
  return { ears: take(Object.keys(EARS)), eyes: take(Object.keys(EYES)), mouth: take(Object.keys(MOUTHS)), tint: take(TINTS) };
}
