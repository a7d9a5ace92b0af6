/** Puts the entry last. If that makes more than `max`, the first one goes. */
export const putNewest = <Key, Value>(map: Map<Key, Value>, max: number, key: Key, value: Value): void => {
  map.delete(key);
  const [first] = map.size < max ? [] : map.keys();
  if (first !== undefined) map.delete(first);
  map.set(key, value);
};
