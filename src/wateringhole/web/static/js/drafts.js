// @ts-check
/** The unfinished answer at a table. This tab keeps it, so that it survives a reload. */

/** @typedef {import("./table-state.js").SavedDraft} SavedDraft */

/** @param {string} table @returns {SavedDraft | null} */
export function loadDraft(table) {
  try {
    return JSON.parse(sessionStorage.getItem(`draft:${table}`) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} table @param {SavedDraft | null} draft */
export function saveDraft(table, draft) {
  if (draft) sessionStorage.setItem(`draft:${table}`, JSON.stringify(draft));
  else sessionStorage.removeItem(`draft:${table}`);
}
