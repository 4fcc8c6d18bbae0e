// @ts-check
/** What the reader chose earlier on this machine. The frame of a notebook has no storage: there every choice is forgotten. */

/** @param {string} name @returns {string | null} */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} choice */
export function remember(name, choice) {
  try {
    localStorage.setItem(name, choice);
  } catch {
    /* forgotten */
  }
}
