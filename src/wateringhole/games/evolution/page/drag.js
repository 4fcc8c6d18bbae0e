// @ts-check
/**
 * Dragging with mouse, pen or finger. A finger that moves sideways scrolls; one that moves up or down drags. A press
 * without movement stays a click, so dragging is never the only way.
 */

/**
 * @typedef {object} DragOptions
 * @property {string} selector of draggable elements
 * @property {(element: HTMLElement) => boolean} onLift the drag starts; returns false to prevent it
 * @property {(target: Element | null) => void} onHover the pointer is over this element
 * @property {(element: HTMLElement, target: Element | null) => void} onDrop
 */

const DRAG_THRESHOLD = 7;
const SCROLL_EDGE = 44;

/** @param {HTMLElement} root @param {DragOptions} options */
export function enableDragging(root, { selector, onLift, onHover, onDrop }) {
  root.addEventListener("pointerdown", (start) => {
    if (start.button !== 0 || !(start.target instanceof Element)) return;
    const element = /** @type {HTMLElement | null} */ (start.target.closest(selector));
    if (!element) return;
    /** @type {HTMLElement | null} */
    let ghost = null;

    const elementUnder = (/** @type {PointerEvent} */ event) => {
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
        if (Math.hypot(dx, dy) < DRAG_THRESHOLD) return;
        if (!onLift(element)) return finish();
        ghost = /** @type {HTMLElement} */ (element.cloneNode(true));
        const box = element.getBoundingClientRect();
        ghost.classList.add("dragged");
        ghost.setAttribute("aria-hidden", "true");
        ghost.style.setProperty("left", `${box.left}px`);
        ghost.style.setProperty("top", `${box.top}px`);
        ghost.style.setProperty("width", `${box.width}px`);
        ghost.style.setProperty("height", `${box.height}px`);
        root.append(ghost);
        element.classList.add("lifted");
      }
      ghost.style.setProperty("translate", `${dx}px ${dy}px`);
      const target = elementUnder(event);
      scrollAtEdge(target, event.clientX);
      onHover(target);
    };

    const end = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== start.pointerId) return;
      const target = ghost && elementUnder(event);
      const wasDragged = ghost !== null;
      finish();
      if (!wasDragged) return;
      // Suppress the click that follows a drag.
      addEventListener("click", suppressClick, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", suppressClick, { capture: true }), 0);
      onDrop(element, target);
    };

    const finish = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", finish);
      ghost?.remove();
      ghost = null;
      element.classList.remove("lifted");
      onHover(null);
    };

    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", finish);
  });
  root.addEventListener("dragstart", (event) => event.preventDefault());
}

/** @param {Event} event */
function suppressClick(event) {
  event.stopPropagation();
  event.preventDefault();
}

/** Scrolls a row when the pointer is near the edge of the screen. @param {Element | null} target @param {number} x */
function scrollAtEdge(target, x) {
  const row = target?.closest(".row, .mine-row, .others");
  if (!row) return;
  if (x < SCROLL_EDGE) row.scrollBy({ left: -14 });
  else if (x > innerWidth - SCROLL_EDGE) row.scrollBy({ left: 14 });
}
