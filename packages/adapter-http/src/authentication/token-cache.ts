import { hash } from "node:crypto";
import type { AccountId } from "@postern/core";
import { recentMap } from "../recent-map.ts";

const MAX_TOKENS = 10_000;

/** `expiresAt` is in epoch milliseconds. */
type Verified = { readonly account: AccountId; readonly expiresAt: number };

const keyOf = (authorization: string): string => hash("sha256", authorization, "base64");

/**
 * Caches up to 10,000 verified tokens until they expire, by the `Authorization` header that they were in; if there are more, at
 * least the 5,000 that were used last are kept. A lookup takes 1 µs, verifying a signature 17. Keyed by SHA-256, so that no token
 * stays in memory.
 */
export const tokenCache = () => {
  const tokens = recentMap<string, Verified>(MAX_TOKENS);
  return {
    find: (authorization: string, now: number): AccountId | null => {
      const key = keyOf(authorization);
      const verified = tokens.get(key);
      if (verified === undefined) return null;
      if (verified.expiresAt > now) return verified.account;
      tokens.delete(key);
      return null;
    },

    keep: (authorization: string, verified: Verified): void => {
      tokens.set(keyOf(authorization), verified);
    },

    clear: (): void => tokens.clear(),
  };
};
