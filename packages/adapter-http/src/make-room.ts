/** Deletes the oldest entry of a map that has `max` entries, so that one more can be added. */
export const makeRoom = <Key>(map: Map<Key, unknown>, max: number): void => {
  if (map.size < max) return;
  // A map is ordered by insertion.
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
};
