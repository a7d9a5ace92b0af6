export type RecentMap<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
};

/**
 * A map of at most `max` entries. An entry is kept as long as fewer than `max / 2` others have been used (read or set) after
 * it. There are two generations, and the older one is evicted all at once: finding the oldest entry of a single map takes
 * longer the more entries have been evicted.
 */
export const recentMap = <Key, Value extends {}>(max: number): RecentMap<Key, Value> => {
  let [recent, older] = [new Map<Key, Value>(), new Map<Key, Value>()];

  const set = (key: Key, value: Value): void => {
    if (recent.size >= max / 2 && !recent.has(key)) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, value);
  };

  return {
    get: (key) => {
      const value = recent.get(key);
      if (value !== undefined) return value;
      const last = older.get(key);
      if (last !== undefined) set(key, last);
      return last;
    },
    set,
    delete: (key) => {
      recent.delete(key);
      older.delete(key);
    },
    clear: () => {
      recent.clear();
      older.clear();
    },
  };
};
