// @ts-check
/**
 * The drawing of a species: the body size sets its size, and every trait adds a visible part. So players recognise a
 * species without reading.
 */

import { svg } from "/static/js/dom.js";

/** @typedef {import("./types.js").Board} Board */

const CUT = "var(--figure-cut)";
const DEFENCE = "var(--blue-ink)";
const FEEDING = "var(--green-ink)";
const GROWTH = "var(--yellow-ink)";

/** @param {string} d @param {string} [fill] */
const shape = (d, fill) => svg("path", { d, fill: fill ?? null });

/** @param {string} d @param {number} width @param {string} [colour] */
const line = (d, width, colour = "var(--figure)") =>
  svg("path", {
    d,
    fill: "none",
    stroke: colour,
    "stroke-width": width,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });

/** @param {string} transform @param {...SVGElement} parts */
const placed = (transform, ...parts) => svg("g", { transform }, ...parts);

const HERD_ANIMAL =
  "M-30-22C-32-40-14-46 4-44C20-43 24-50 36-54C46-54 52-46 48-42L34-38C32-26 28-14 24-12V0H16V-12H-16V0H-24V-14C-28-16-30-18-30-22Z";
const PACK_ANIMAL =
  "M-30-24C-28-40 4-40 20-44L26-60L34-50L52-42L46-36L34-34C30-24 26-16 26 0H18L14-18H-12L-18 0H-26Z";
const YOUNG_ANIMAL =
  "M-31-24C-33-41-14-47 4-45C22-46 26-56 36-60C48-60 56-50 50-44L34-38C32-26 30-14 24-12V0H14V-12H-14V0H-24V-14C-30-16-31-20-31-24Z";

/** @typedef {(trait: string) => boolean} Has */

/** @param {Has} has */
function behind(has) {
  const parts = [];
  if (has("herding"))
    for (const [x, size] of [[-46, 0.42], [44, 0.36]])
      parts.push(svg("g", { transform: `translate(${x} -8) scale(${size})`, opacity: ".55" }, shape(HERD_ANIMAL)));
  if (has("pack-hunting"))
    for (const [x, size] of [[-58, 0.5], [62, 0.44]])
      parts.push(svg("g", { transform: `translate(${x} -6) scale(${size})`, opacity: ".6" }, shape(PACK_ANIMAL)));
  if (has("climbing"))
    parts.push(line("M-64-3C-30-7 20 1 66-4", 6, DEFENCE), line("M48-3C54-10 58-14 62-15", 3.5, DEFENCE));
  return parts;
}

/** @param {Has} has */
function trunk(has) {
  const hunts = has("carnivore");
  const tail = has("climbing")
    ? line("M-28-30C-44-36-54-26-50-14C-47-6-38-8-40-15", 4.6)
    : hunts
      ? shape("M-22-40C-40-42-50-34-60-42C-56-26-40-22-24-22Z")
      : line("M-29-32C-37-32-38-24-36-15", 4);
  const legs = hunts
    ? "M-28-24L-32-11L-27 0H-17L-21-10L-14-22ZM-12-20L-14-9L-9 0H-1L-4-10L0-22ZM8-22L6-10L10 0H19L15-10L20-24ZM20-24L20-10L25 0H33L29-11L30-28Z"
    : "M-28-18L-26 0H-18L-17-16ZM-15-16L-13 0H-6L-5-16ZM8-16L9 0H16L18-16ZM19-16L21 0H29L30-20Z";
  const body = hunts
    ? "M-31-28C-30-42-12-43 4-42C20-45 31-41 31-29C28-19 18-17 8-19C-4-21-10-14-19-14C-27-15-31-20-31-28Z"
    : "M-31-24C-33-41-14-47 4-45C21-44 31-38 31-26C31-15 22-11 10-11H-16C-26-11-30-16-31-24Z";
  const cuts = "M-24-20Q-16-14-4-15Q-16-17-24-20ZM-26-31Q-22-39-10-41Q-20-37-26-31ZM2-16Q12-15 22-22Q12-18 2-16Z";
  const neck = has("long-neck")
    ? [
        shape("M12-42C26-48 32-66 38-88L52-80C48-62 45-40 28-22Z"),
        shape("M34-62L43-59Q38-63 34-62ZM30-51L41-48Q36-52 30-51ZM37-73L46-70Q41-74 37-73Z", CUT),
      ]
    : [shape("M14-43C22-46 26-53 33-57L46-46C40-40 34-30 28-22Z")];
  return [tail, shape(legs), shape(body), shape(cuts, CUT), ...neck];
}

/** @param {Has} has */
function head(has) {
  const parts = has("carnivore")
    ? [
        shape(
          "M29-60C37-69 50-67 61-59L62-54L57-46L54-52L50-45L47-51L43-45L41-50L38-44L42-40L46-44L49-39L53-43L54-37C47-34 38-34 32-39C26-46 26-54 29-60Z",
        ),
        svg("circle", { cx: 45, cy: -58, r: 2.6, fill: "var(--red)" }),
        shape("M32-60L30-71L40-64Z"),
      ]
    : [
        shape("M31-58C37-66 48-64 55-55C60-49 58-44 52-43L40-42C33-43 29-50 31-58Z"),
        shape("M33-57L25-64L37-64Z"),
        svg("circle", { cx: 44.5, cy: -54, r: 2.3, fill: CUT }),
        shape("M50-46Q54-46 57-48Q54-45 50-46Z", CUT),
      ];
  if (has("horns"))
    parts.push(
      shape("M37-62C32-74 40-84 50-86C43-79 43-70 47-63ZM46-63C46-71 54-78 64-78C56-73 54-68 53-60Z", DEFENCE),
    );
  if (has("scavenger"))
    parts.push(
      shape("M18-44L14-50L23-50L22-58L30-54L33-62L37-52L44-48L40-42L44-36L36-36L34-28L28-34L20-30L22-38Z", FEEDING),
    );
  if (has("foraging"))
    parts.push(shape("M55-46C62-52 70-48 72-41C64-38 58-40 55-46ZM53-44C54-36 60-32 67-33C65-40 60-44 53-44Z", FEEDING));
  if (has("warning-call")) parts.push(line("M64-60C68-56 68-50 65-46M70-66C77-58 77-48 71-40", 2.8, DEFENCE));
  return placed(has("long-neck") ? "translate(9 -34)" : "translate(0 0)", ...parts);
}

/** @param {Has} has */
function onItsBack(has) {
  const parts = [];
  const rise = has("hard-shell") ? -14 : 0;
  if (has("hard-shell"))
    parts.push(
      shape("M-36-26C-36-50-18-60 0-60C18-60 32-50 33-30C10-24-14-22-36-26Z", DEFENCE),
      line("M-13-58L-11-48H8L11-58M8-48L18-36L10-25M18-36L33-34M-11-48L-22-36L-14-24M-22-36L-36-34", 2, CUT),
    );
  if (has("fat-tissue")) {
    const hump = shape("M-22-42C-20-60-12-66-4-66C4-66 12-58 14-43C2-40-10-39-22-42Z", GROWTH);
    parts.push(placed(`translate(0 ${rise})`, hump));
    if (!rise) parts.push(shape("M-14-47Q-13-57-6-61Q-9-55-14-47Z", CUT));
  }
  if (has("symbiosis")) {
    const bird = shape("M-12-44L-5-50C-4-56 2-58 6-57C8-62 15-62 16-56L22-53L16-51C15-46 9-43 3-43Z", DEFENCE);
    parts.push(placed(`translate(-22 ${rise - 2})`, bird, line("M2-44V-39M7-44V-39", 1.8, DEFENCE)));
  }
  return parts;
}

/** @param {Has} has */
function inFront(has) {
  const parts = [];
  if (has("burrowing"))
    parts.push(
      shape("M-52 6C-46-8-36-13-27-11C-20-10-18-4-8-3C2-2 6-10 16-12C28-13 40-6 46 6Z", "var(--mud)"),
      shape("M-34-2Q-28-8-20-3Q-28-6-34-2ZM14-3Q20-8 28-3Q20-6 14-3Z", CUT),
    );
  if (has("ambush"))
    for (const x of [-44, -14, 18, 40]) {
      const tuft = shape("M0 5C-1-8-8-18-10-24C-2-20 2-14 3-8C3-20 6-28 11-35C12-22 11-14 9-8C13-14 17-17 21-18C18-10 15-2 14 5Z");
      tuft.setAttribute("fill", "var(--bank-mark)");
      parts.push(placed(`translate(${x} 0)`, tuft));
    }
  if (has("fertile"))
    parts.push(
      shape("M-54 4C-58-6-52-14-48-14C-44-14-38-6-42 4ZM-38 4C-41-4-37-10-34-10C-31-10-27-4-30 4Z", GROWTH),
    );
  if (has("cooperation"))
    parts.push(
      placed("translate(50 0) scale(.34)", shape(YOUNG_ANIMAL)),
      svg("circle", { cx: 57, cy: -33, r: 4, fill: FEEDING }),
    );
  return parts;
}

/**
 * @param {Pick<Board, "body" | "traits"> & Partial<Board>} board
 * @param {boolean} [onGround] whether to draw the ground
 * @returns {SVGElement}
 */
export function creature({ body, traits }, onGround = true) {
  const has = (/** @type {string} */ trait) => traits.includes(trait);
  const scale = (0.66 + body * 0.064) * (has("long-neck") ? 0.88 : 1);
  return svg(
    "svg",
    {
      class: "creature",
      viewBox: "-70 -96 148 108",
      preserveAspectRatio: "xMidYMax meet",
      fill: "var(--figure)",
      "aria-hidden": "true",
      focusable: "false",
    },
    onGround && shape("M-300 2C-60-7 40-6 300 2V40H-300Z", "var(--hill)"),
    placed(
      `translate(0 2) scale(${scale.toFixed(2)})`,
      ...behind(has),
      ...trunk(has),
      head(has),
      ...onItsBack(has),
      ...inFront(has),
    ),
  );
}
