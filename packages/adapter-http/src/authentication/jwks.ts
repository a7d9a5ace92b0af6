import { fetchJwks, type Jwks } from "./jwks-fetcher.ts";

/** A key that the issuer has withdrawn works for so long at most, in milliseconds, while the issuer answers. */
const REFRESH_EVERY = 10 * 60_000;

/** How soon the issuer is asked again after it did not answer, and how often for the sake of unknown keys. */
const PAUSE = 10_000;

/** How often it is asked for the sake of requests while there are no keys at all: as `Retry-After` tells them. */
const PAUSE_WITHOUT_KEYS = 1000;

export type KeySet = {
  /**
   * Whether the issuer has a key of this id. One not heard of is asked after, at most once in 10 seconds.
   * `unavailable` while no key could ever be fetched.
   */
  find(kid: string): Promise<"known" | "unknown" | "unavailable">;
  /** Fetches the keys, now and every 10 minutes until `stop`, without holding anybody up. */
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
 * The keys of the issuer. While it does not answer, those it had are kept; once it answers, only those it has now.
 *
 * @param use takes the keys that are to be used from now on, whenever these are others than before
 */
export const keySet = (uri: string, use: (jwks: Jwks) => void): KeySet => {
  let kids: ReadonlySet<string> | null = null;
  let text = "";
  let fetching: Promise<boolean> | null = null;
  const mayAskAfterUnknown = atMostEvery(PAUSE);
  const mayAskWithoutKeys = atMostEvery(PAUSE_WITHOUT_KEYS);
  let next: NodeJS.Timeout | null = null;
  let running = false;

  const take = (jwks: Jwks): void => {
    const fetched = JSON.stringify(jwks);
    if (fetched === text) return;
    text = fetched;
    kids = new Set(jwks.keys.map(({ kid }) => kid));
    use(jwks);
  };

  const load = async (): Promise<boolean> => {
    const fetched = await fetchJwks(uri);
    fetching = null;
    // An issuer that has never shown a key is not set up yet, and can vouch for nobody.
    if (fetched.isErr() || (kids === null && fetched.value.keys.length === 0)) return false;
    take(fetched.value);
    return true;
  };

  /** Waits for the fetch under way, or for a new one; says whether the issuer answered. */
  const refresh = (): Promise<boolean> => {
    fetching ??= load();
    return fetching;
  };

  const refreshForRequest = async (): Promise<void> => {
    const due = kids === null ? mayAskWithoutKeys() : mayAskAfterUnknown();
    if (due || fetching !== null) await refresh();
  };

  const keepFresh = async (): Promise<void> => {
    const answered = await refresh();
    if (running) next = setTimeout(keepFresh, answered ? REFRESH_EVERY : PAUSE).unref();
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
