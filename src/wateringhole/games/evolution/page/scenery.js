// @ts-check
/** The static background: the green bank, the water, reeds and stones; also the arrow of an attack. */

import { svg } from "/static/js/dom.js";

/** @param {number} seed */
function generator(seed) {
  let state = seed * 7919;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** @param {number} count @param {number} seed @param {boolean} onTheBank */
function tufts(count, seed, onTheBank) {
  const random = generator(seed);
  let d = "";
  for (let i = 0; i < count; i++) {
    const angle = random() * 6.283;
    const reach = onTheBank ? 0.62 + random() * 0.3 : 1.05 + random() * 0.5;
    const x = Math.round(850 + Math.cos(angle) * 700 * reach);
    const y = Math.round(430 + Math.sin(angle) * 350 * reach);
    d += `M${x} ${y}q-3-14-10-20m10 20q2-16 4-26m-4 26q8-12 16-16`;
  }
  const stroke = onTheBank ? "var(--bank-mark)" : "var(--ground-mark)";
  return svg("path", { d, fill: "none", stroke, "stroke-width": 5, "stroke-linecap": "round" });
}

/**
 * Makes the edge of a shape slightly rough, as if it were printed.  A filter would do it again whenever the page is drawn, which
 * took a quarter of the time that the browser needs for a game.
 * @param {string} d a closed path of cubic curves: M, C and Z with absolute coordinates
 */
function rough(d) {
  const random = generator(4);
  const numbers = (d.match(/-?\d+/g) ?? []).map(Number);
  let [x0, y0] = numbers;
  let path = "";
  for (let i = 2; i < numbers.length; i += 6) {
    const [x1, y1, x2, y2, x3, y3] = numbers.slice(i, i + 6);
    const steps = Math.ceil(Math.hypot(x3 - x0, y3 - y0) / 8);
    for (let step = 0; step < steps; step++) {
      const t = step / steps;
      const u = 1 - t;
      const on = (/** @type {number[]} */ [a, b, c, e]) => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * e;
      const moved = [on([x0, x1, x2, x3]), on([y0, y1, y2, y3])].map((at) => (at + random() * 3 - 1.5).toFixed(1));
      path += `${path ? "L" : "M"}${moved.join(" ")}`;
    }
    [x0, y0] = [x3, y3];
  }
  return `${path}Z`;
}

export function land() {
  return svg(
    "svg",
    { class: "land", viewBox: "0 0 1700 860", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", {
      d: rough(
        "M120 430C80 220 330 60 640 96C900 30 1330 60 1500 240C1660 420 1560 660 1300 740C1060 850 700 790 480 790C240 760 140 620 120 430Z",
      ),
      fill: "var(--bank)",
    }),
    tufts(46, 1, true),
    tufts(60, 2, false),
  );
}

export function water() {
  const fill = (/** @type {string} */ d, /** @type {string} */ colour) => svg("path", { d, fill: `var(--${colour})` });
  return svg(
    "svg",
    { class: "water", viewBox: "0 0 640 220", preserveAspectRatio: "none", "aria-hidden": "true" },
    fill(
      rough(
        "M6 116C-4 54 96 6 214 14C330 -10 470 -6 556 34C650 66 664 156 566 190C470 232 330 214 246 212C120 222 14 184 6 116Z",
      ),
      "mud",
    ),
    fill(
      rough(
        "M26 114C18 62 108 22 220 30C334 8 462 10 544 46C622 74 634 146 554 176C464 212 334 198 250 196C130 204 34 172 26 114Z",
      ),
      "water",
    ),
    fill(
      rough(
        "M40 124C70 172 180 182 252 180C340 184 470 194 546 160C590 140 600 112 588 92C640 140 590 172 552 178C464 212 334 198 250 196C150 202 50 178 40 124Z",
      ),
      "water-deep",
    ),
    svg(
      "g",
      { class: "moon", transform: "translate(-390 10)" },
      fill(
        "M474 62C474 44 490 34 508 34C526 34 540 46 540 62ZM470 68H544L536 76H478ZM484 82H530L520 90H494ZM496 96H516L512 101H500Z",
        "moon",
      ),
    ),
    svg("path", {
      d: "M300 36C350 28 400 30 440 36M430 52C480 52 526 64 556 86M486 66C500 68 516 74 526 82M86 150C120 166 170 172 210 170M440 178C480 176 520 166 544 152",
      fill: "none",
      stroke: "var(--water-light)",
      "stroke-width": 3,
      "stroke-linecap": "round",
    }),
  );
}

export function reeds() {
  return svg(
    "svg",
    { class: "reeds", viewBox: "0 0 120 90", "aria-hidden": "true" },
    svg("path", {
      d: "M20 88C20 60 16 40 8 26M34 90C34 56 34 34 38 14M48 88C50 66 56 48 68 36M60 90C62 74 70 62 84 56",
      fill: "none",
      stroke: "var(--bank-mark)",
      "stroke-width": 4,
      "stroke-linecap": "round",
    }),
    svg("path", {
      d: "M33 26C32 14 36 4 40 2C44 6 44 18 40 28ZM62 46C62 38 68 30 74 28C76 34 72 44 67 48ZM4 34C0 26 2 18 6 14C11 18 13 26 11 34Z",
      fill: "var(--ink)",
    }),
  );
}

export function stones() {
  const fill = (/** @type {string} */ d, /** @type {string} */ colour) => svg("path", { d, fill: `var(--${colour})` });
  return svg(
    "svg",
    { class: "stones", viewBox: "0 0 120 50", "aria-hidden": "true" },
    fill("M8 40C4 24 22 14 38 20C50 24 52 38 44 44C32 50 14 48 8 40Z", "paper-3"),
    fill("M12 42C22 48 36 48 45 40C40 46 52 44 46 34C50 42 46 46 38 47C28 50 16 48 12 42Z", "ink"),
    fill("M54 42C52 32 62 26 72 28C82 30 84 40 78 44C70 48 58 48 54 42Z", "paper-2"),
    fill("M57 44C64 48 74 46 80 41C78 48 64 50 57 44Z", "ink"),
  );
}

/**
 * Draws the arrow from an attacker to its target, in the coordinates of their container.
 * @param {Element} ground
 * @param {Element} hunter
 * @param {Element} target
 */
export function arrowParts(ground, hunter, target) {
  const origin = ground.getBoundingClientRect();
  const from = hunter.getBoundingClientRect();
  const to = target.getBoundingClientRect();
  const goesUp = to.top < from.top;
  const x1 = from.left + from.width / 2 - origin.left;
  const y1 = (goesUp ? from.top - 4 : from.bottom + 4) - origin.top;
  const x2 = to.left + to.width / 2 - origin.left;
  const y2 = (goesUp ? to.bottom + 18 : to.top - 18) - origin.top;
  const bend = goesUp ? -90 : 90;
  const d = `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend * 1.2} ${x2} ${y2}`;
  const line = (/** @type {Record<string, any>} */ look) => svg("path", { d, fill: "none", "stroke-linecap": "round", ...look });
  const tip = goesUp ? `M${x2} ${y2 - 9}l12 18h-24z` : `M${x2} ${y2 + 9}l12 -18h-24z`;
  return [
    line({ stroke: "var(--paper)", "stroke-width": 9 }),
    line({ stroke: "var(--blood)", "stroke-width": 5, "stroke-dasharray": "2 11" }),
    svg("path", { d: tip, fill: "var(--blood)", stroke: "var(--paper)", "stroke-width": 2 }),
  ];
}
