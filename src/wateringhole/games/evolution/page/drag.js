// @ts-check
/**
 * Dragging with mouse, pen or finger. A finger that moves sideways scrolls, one that moves up or down takes the thing
 * along. A press without a move stays a click, so dragging is never the only way.
 */

/**
 * @typedef {object} DragManners
 * @property {string} things selector of what can be taken
 * @property {(thing: HTMLElement) => boolean} lift it is taken up; false: it cannot be
 * @property {(place: Element | null) => void} hover over which element
 * @property {(thing: HTMLElement, place: Element | null) => void} drop
 */

const SLACK = 7;
const EDGE = 44;

/** @param {HTMLElement} root @param {DragManners} manners */
export function enableDragging(root, { things, lift, hover, drop }) {
  root.addEventListener("pointerdown", (start) => {
    if (start.button !== 0 || !(start.target instanceof Element)) return;
    const thing = /** @type {HTMLElement | null} */ (start.target.closest(things));
    if (!thing) return;
    /** @type {HTMLElement | null} */
    let ghost = null;

    const under = (/** @type {PointerEvent} */ event) => {
      ghost?.setAttribute("hidden", "");
      const found = document.elementFromPoint(event.clientX, event.clientY);
      ghost?.removeAttribute("hidden");
      return found;
    };

    const move = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== start.pointerId) return;
      const dx = event.clientX - start.clientX;
      const dy = event.clientY - start.clientY;
      if (!ghost) {
        if (Math.hypot(dx, dy) < SLACK) return;
        if (!lift(thing)) return finish();
        ghost = /** @type {HTMLElement} */ (thing.cloneNode(true));
        const box = thing.getBoundingClientRect();
        ghost.classList.add("dragged");
        ghost.setAttribute("aria-hidden", "true");
        ghost.style.setProperty("left", `${box.left}px`);
        ghost.style.setProperty("top", `${box.top}px`);
        ghost.style.setProperty("width", `${box.width}px`);
        ghost.style.setProperty("height", `${box.height}px`);
        root.append(ghost);
        thing.classList.add("lifted");
      }
      ghost.style.setProperty("translate", `${dx}px ${dy}px`);
      const place = under(event);
      scrollAtEdge(place, event.clientX);
      hover(place);
    };

    const up = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== start.pointerId) return;
      const place = ghost && under(event);
      const wasDragged = ghost !== null;
      finish();
      if (!wasDragged) return;
      // The click that follows a drag belongs to it.
      addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", swallow, { capture: true }), 0);
      drop(thing, place);
    };

    const finish = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", finish);
      ghost?.remove();
      ghost = null;
      thing.classList.remove("lifted");
      hover(null);
    };

    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", finish);
  });
  root.addEventListener("dragstart", (event) => event.preventDefault());
}

/** @param {Event} event */
function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}

/** Places beyond the edge come near. @param {Element | null} place @param {number} x */
function scrollAtEdge(place, x) {
  const row = place?.closest(".row, .mine-row, .others");
  if (!row) return;
  if (x < EDGE) row.scrollBy({ left: -14 });
  else if (x > innerWidth - EDGE) row.scrollBy({ left: 14 });
}
