import { fetchJwks, type Jwks } from "./jwks-fetcher.ts";

/** The longest that a withdrawn key stays in use, provided that the issuer responds. */
const REFRESH_INTERVAL_MS = 10 * 60_000;

/** The delay after a failed fetch, and the minimum interval between fetches caused by unknown keys. */
const RETRY_INTERVAL_MS = 10_000;

/** The minimum interval between fetches caused by requests while there are no keys. Matches the `Retry-After` of a 503. */
const RETRY_WITHOUT_KEYS_MS = 1000;

export type KeySet = {
  /**
   * Whether the issuer has a key with this id. An unknown id causes a fetch, at most once in 10 seconds. `unavailable` as
   * long as no fetch has succeeded.
   */
  find(kid: string): Promise<"known" | "unknown" | "unavailable">;
  /** Fetches the keys now and every 10 minutes until `stop`, in the background. */
  start(): void;
  stop(): void;
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

/**
 * The keys of the issuer. While it does not respond, the previous keys stay in use; once it responds, only its current
 * ones.
 *
 * @param use called with the keys to use from now on whenever they have changed
 */
export const keySet = (uri: string, use: (jwks: Jwks) => void): KeySet => {
  let kids: ReadonlySet<string> | null = null;
  let text = "";
  let fetching: Promise<boolean> | null = null;
  const mayFetchForUnknownKey = atMostEvery(RETRY_INTERVAL_MS);
  const mayFetchWithoutKeys = atMostEvery(RETRY_WITHOUT_KEYS_MS);
  let next: NodeJS.Timeout | null = null;
  let running = false;

  const replaceKeys = (jwks: Jwks): void => {
    const fetched = JSON.stringify(jwks);
    if (fetched === text) return;
    text = fetched;
    kids = new Set(jwks.keys.map(({ kid }) => kid));
    use(jwks);
  };

  const load = async (): Promise<boolean> => {
    const fetched = await fetchJwks(uri);
    fetching = null;
    // An issuer that has never published a key is not set up yet.
    if (fetched.isErr() || (kids === null && fetched.value.keys.length === 0)) return false;
    replaceKeys(fetched.value);
    return true;
  };

  /** Waits for the fetch in progress, or for a new one. Returns whether it succeeded. */
  const refresh = (): Promise<boolean> => {
    fetching ??= load();
    return fetching;
  };

  const refreshForRequest = async (): Promise<void> => {
    const due = kids === null ? mayFetchWithoutKeys() : mayFetchForUnknownKey();
    if (due || fetching !== null) await refresh();
  };

  const keepFresh = async (): Promise<void> => {
    const succeeded = await refresh();
    if (running) next = setTimeout(keepFresh, succeeded ? REFRESH_INTERVAL_MS : RETRY_INTERVAL_MS).unref();
  };

  return {
    find: async (kid) => {
      if (kids?.has(kid) !== true) await refreshForRequest();
      if (kids === null) return "unavailable";
      return kids.has(kid) ? "known" : "unknown";
    },
    start: () => {
      if (running) return;
      running = true;
      void keepFresh();
    },
    stop: () => {
      running = false;
      if (next !== null) clearTimeout(next);
    },
  };
};
