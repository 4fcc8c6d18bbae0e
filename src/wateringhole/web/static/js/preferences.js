// @ts-check
/** Preferences stored in this browser. The frame of a notebook has no storage, so nothing is saved there. */

/** @param {string} name @returns {string | null} */
export function loadPreference(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
export function savePreference(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // There is no storage.
  }
}
