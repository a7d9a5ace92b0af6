import { type Cause, err, ok, type Result, type Unavailable } from "@postern/core";
import { fetchJwks, type Jwks, keyName, NO_KEY } from "./jwks-fetcher.ts";
import type { FoundAddress } from "./key-address.ts";
import type { Algorithm, SigningKey } from "./signing-key.ts";

/** The longest that a withdrawn key stays in use, provided that the issuer responds. */
const REFRESH_INTERVAL_MS = 10 * 60_000;

/** The delay after a failed fetch, and the minimum interval between fetches caused by unknown keys. */
const RETRY_INTERVAL_MS = 10_000;

/** The minimum interval between fetches caused by requests while there are no keys. Matches the `Retry-After` of a 503. */
const RETRY_WITHOUT_KEYS_MS = 1000;

/** How long the keys stay in use after the last successful fetch. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** How many requests may wait for a fetch at a time, so that made-up key ids cannot pile up requests. */
const MAX_WAITING = 100;

export type KeySet = {
  /** Whether there are usable keys: fetched no more than 24 hours ago. */
  usable(): boolean;
  /**
   * The issuer's key with this id for this algorithm; null if it has none. An unknown one causes a fetch, at most once in 10 seconds.
   * `unavailable` if no fetch has succeeded in the last 24 hours, or if 100 requests are waiting for one.
   */
  find(key: {
    readonly algorithm: Algorithm;
    readonly kid: string;
  }): Promise<Result<SigningKey | null, Unavailable>>;
  /** Fetches the keys now and every 10 minutes until `stop`, in the background. */
  start(): void;
  stop(): void;
};

const TOO_MANY_WAIT: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: `${MAX_WAITING} requests are waiting for the JWKS` },
};

const atMostEvery = (milliseconds: number) => {
  let last = Number.NEGATIVE_INFINITY;
  return (): boolean => {
    const now = performance.now();
    if (now - last < milliseconds) return false;
    last = now;
    return true;
  };
};

const isSame = (some: Jwks, others: Jwks): boolean =>
  some.size === others.size &&
  [...some].every(([name, { key }]) => others.get(name)?.key.equals(key) === true);

/**
 * The keys of the issuer. While it does not respond, the previous keys stay in use for up to 24 hours; once it responds,
 * only its current ones.
 *
 * @param findAddress where to fetch them from; asked before each fetch
 * @param on.onChange called whenever the keys have changed
 * @param on.onFetch called after each fetch, but not after `stop`
 */
export const keySet = (
  findAddress: () => Promise<Result<FoundAddress, Cause>>,
  on: { readonly onChange: () => void; readonly onFetch: (result: "ok" | Cause) => void },
): KeySet => {
  let keys: Jwks | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  /** Why the last fetch failed. */
  let failure: Cause = { source: "jwks", reason: "not fetched yet" };
  let waiting = 0;
  let fetching: Promise<boolean> | null = null;
  const mayFetchForUnknownKey = atMostEvery(RETRY_INTERVAL_MS);
  const mayFetchWithoutKeys = atMostEvery(RETRY_WITHOUT_KEYS_MS);
  let next: NodeJS.Timeout | null = null;
  let running = false;
  let stopped = false;

  const usableKeys = () => (performance.now() - fetchedAt < MAX_AGE_MS ? keys : null);

  const replaceKeys = (fetched: Jwks): void => {
    if (keys !== null && isSame(keys, fetched)) return;
    keys = fetched;
    on.onChange();
  };

  const load = async (): Promise<boolean> => {
    const address = await findAddress();
    const fetched = address.isOk() ? await fetchJwks(address.value.uri) : err(address.error);
    const outdated = address.isOk() ? address.value.failure : null;
    fetching = null;
    // An issuer that has never published a key is not set up yet.
    const usable = fetched.andThen((jwks) => (keys === null && jwks.size === 0 ? err(NO_KEY) : ok(jwks)));
    // Fresh keys from an address that the issuer no longer publishes are used, but the operator has a day to put that right.
    if (!stopped) on.onFetch(usable.isOk() ? (outdated ?? "ok") : usable.error);
    if (usable.isErr()) {
      failure = usable.error;
      return false;
    }
    fetchedAt = performance.now();
    replaceKeys(usable.value);
    return outdated === null;
  };

  /** Waits for the fetch in progress, or for a new one. Returns whether it succeeded. */
  const refresh = (): Promise<boolean> => {
    fetching ??= load();
    return fetching;
  };

  /** Waits for a fetch if one is due or in progress. Returns false if too many requests are waiting. */
  const refreshForRequest = async (): Promise<boolean> => {
    const due = usableKeys() === null ? mayFetchWithoutKeys() : mayFetchForUnknownKey();
    if (!due && fetching === null) return true;
    if (waiting >= MAX_WAITING) return false;
    waiting += 1;
    await refresh().finally(() => {
      waiting -= 1;
    });
    return true;
  };

  const keepFresh = async (): Promise<void> => {
    const succeeded = await refresh();
    if (running) next = setTimeout(keepFresh, succeeded ? REFRESH_INTERVAL_MS : RETRY_INTERVAL_MS).unref();
  };

  return {
    usable: () => usableKeys() !== null,
    find: async (key) => {
      const name = keyName(key);
      if (usableKeys()?.has(name) !== true && !(await refreshForRequest())) return err(TOO_MANY_WAIT);
      const current = usableKeys();
      if (current === null) return err({ code: "unavailable", cause: failure });
      return ok(current.get(name) ?? null);
    },
    start: () => {
      if (running) return;
      running = true;
      stopped = false;
      void keepFresh();
    },
    stop: () => {
      running = false;
      stopped = true;
      if (next !== null) clearTimeout(next);
    },
  };
};
