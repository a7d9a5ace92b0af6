/** Counts octets, up to a limit. */
export type Room = {
  readonly used: () => number;
  /** Returns whether there was room for the octets, or room could be made; if so, they count as used. */
  reserve(octets: number): boolean;
  /** Counts the octets as used even beyond the limit. */
  force(octets: number): void;
  release(octets: number): void;
};

/** @param evict called if so many octets have to be released before others can be used */
export const room = (limit: number, evict: (octets: number) => void): Room => {
  let used = 0;
  return {
    used: () => used,
    reserve: (octets) => {
      if (used + octets > limit) evict(used + octets - limit);
      if (used + octets > limit) return false;
      used += octets;
      return true;
    },
    force: (octets) => {
      used += octets;
    },
    release: (octets) => {
      used -= octets;
    },
  };
};
