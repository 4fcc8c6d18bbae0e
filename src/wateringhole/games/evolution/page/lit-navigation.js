// @ts-check
/** The arrow keys: from one lit place to the next one in that direction. */

const LIT = "button.zone, .spot:not([hidden]), .newland, .press";

/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {Element} element */
function middle(element) {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

/** @param {HTMLElement} root @param {string} key @returns {boolean} whether there was somewhere to go */
export function moveAmongLit(root, key) {
  const way = WAYS[key];
  const places = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(LIT))];
  const focused = document.activeElement;
  if (!way || !places.length) return false;
  if (!focused || !root.contains(focused) || !focused.matches(LIT)) {
    places[0].focus();
    return true;
  }
  const [x, y] = middle(focused);
  let best = null;
  let least = Infinity;
  for (const place of places) {
    const [px, py] = middle(place);
    const along = (px - x) * way[0] + (py - y) * way[1];
    const aside = Math.abs((px - x) * way[1]) + Math.abs((py - y) * way[0]);
    if (place !== focused && along > 1 && along + aside * 2.5 < least) {
      least = along + aside * 2.5;
      best = place;
    }
  }
  best?.focus();
  best?.scrollIntoView({ block: "nearest", inline: "nearest" });
  return true;
}
