import { randomBytes } from "node:crypto";

export type Vouchers<Value> = {
  /** Keeps a value, and returns the key to it, which nobody can guess. */
  issue(value: Value): string;
  /** The value, unless it has been taken, has expired, or never was. */
  read(key: string): Value | undefined;
  take(key: string): void;
  takeEach(matches: (value: Value) => boolean): void;
};

const newKey = (): string => randomBytes(48).toString("base64");

/** Values that are kept for this number of seconds. If there are too many, the oldest is dropped. */
export const vouchers = <Value>(seconds: number, now: () => number, most = 10_000): Vouchers<Value> => {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    issue: (value) => {
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= most) kept.delete(oldest);
      const key = newKey();
      kept.set(key, { value, until: now() + seconds * 1000 });
      return key;
    },
    read: (key) => {
      const found = kept.get(key);
      return found !== undefined && now() < found.until ? found.value : undefined;
    },
    take: (key) => void kept.delete(key),
    takeEach: (matches) => {
      for (const [key, { value }] of kept) if (matches(value)) kept.delete(key);
    },
  };
};
