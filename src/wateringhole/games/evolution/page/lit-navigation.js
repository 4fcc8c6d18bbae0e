// @ts-check
/** Moves the focus between highlighted zones with the arrow keys. */

const LIT = "button.zone, .spot:not([hidden]), .new-species, .press";

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {Element} element */
function centre(element) {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

/** @param {HTMLElement} root @param {string} key @returns {boolean} whether there was a zone to focus */
export function focusNextLit(root, key) {
  const direction = DIRECTIONS[key];
  const zones = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(LIT))];
  const focused = document.activeElement;
  if (!direction || !zones.length) return false;
  if (!focused || !root.contains(focused) || !focused.matches(LIT)) {
    zones[0].focus();
    return true;
  }
  const [x, y] = centre(focused);
  let best = null;
  let bestDistance = Infinity;
  for (const zone of zones) {
    const [px, py] = centre(zone);
    const along = (px - x) * direction[0] + (py - y) * direction[1];
    const aside = Math.abs((px - x) * direction[1]) + Math.abs((py - y) * direction[0]);
    if (zone !== focused && along > 1 && along + aside * 2.5 < bestDistance) {
      bestDistance = along + aside * 2.5;
      best = zone;
    }
  }
  best?.focus();
  best?.scrollIntoView({ block: "nearest", inline: "nearest" });
  return true;
}
