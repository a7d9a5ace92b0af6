import { Resolver } from "node:dns/promises";
import { errorCode } from "./error-code.ts";

/** Looks up the records of a type. Rejects with a `code`, as `node:dns` does. */
export type Lookup = (name: string, type: string) => Promise<string[][] | string[]>;

export type CachingResolver = {
  readonly lookup: Lookup;
  /** Ends the lookups under way. */
  close(): void;
};

/** How long one lookup may take, with its retries. */
const LOOKUP_MS = 5_000;
/** `node:dns` does not reveal the TTL of text records. Those that matter here rarely have a shorter one. */
const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;
/** Of everything that is cached, in octets as `sizeOf` counts them. */
const MAX_KEPT_SIZE = 16 * 1024 * 1024;
/** Of one answer. A domain with dozens of text records needs a third of it; a name server can send four times as much. */
const MAX_SIZE = 16 * 1024;
/** What a record takes in addition to its text. */
const RECORD_SIZE = 64;

/** Failures that are cached as answers; failures of a name server are not. */
const KEPT_FAILURES = ["ENOTFOUND", "ENODATA"];

type Records = Awaited<ReturnType<Lookup>>;

type Kept = { readonly answer: Promise<Records>; readonly until: number; size: number };

const sizeOf = (records: Records): number =>
  records.reduce((size, record) => size + RECORD_SIZE + [record].flat().join("").length, 0);

/** The error for a name that cannot be looked up, such as `a..b`. */
const notFound = () => Object.assign(new Error("there is no such name"), { code: "ENOTFOUND" });
/** Failures of the lookup itself: to the checks of a message, they are a `temperror`. */
const late = () => Object.assign(new Error("the lookup took too long"), { code: "ETIMEOUT" });
const tooLarge = () => Object.assign(new Error("the answer is too large"), { code: "EBADRESP" });

/** @throws TypeError */
const useServer = (resolver: Resolver, address: string): void => {
  try {
    resolver.setServers([address]);
  } catch {
    throw new TypeError("dns must look like 127.0.0.1:53");
  }
};

/**
 * Asks the name server at `server` (`127.0.0.1:53`, or anything else that `setServers` of `node:dns` accepts), or the system's. A lookup
 * takes at most 5 seconds. At most 10,000 answers are cached, each for a minute; concurrent lookups of the same records share one.
 *
 * @throws TypeError if `server` is malformed
 */
export const cachingResolver = (server: string | null, lookupMs = LOOKUP_MS): CachingResolver => {
  const resolver = new Resolver({ timeout: Math.ceil(lookupMs / 2), tries: 2 });
  if (server !== null) useServer(resolver, server);
  /** The oldest first. */
  const kept = new Map<string, Kept>();
  let size = 0;

  const forget = (key: string): void => {
    size -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };

  /** Evicts the oldest ones until there are not too many. */
  const limit = (): void => {
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT && size <= MAX_KEPT_SIZE) break;
      forget(oldest);
    }
  };

  const lookUp = async (name: string, type: string): Promise<Records> => {
    // mailauth's type leaves out MX, one of the records that it asks for; it reads them as `node:dns` returns them.
    const records = (await resolver.resolve(name, type)) as string[][];
    if (sizeOf(records) > MAX_SIZE) throw tooLarge();
    // The strings of a text record are one text (RFC 7208, section 3.3); thousands of small ones take a lot of memory.
    return type === "TXT" ? records.map((strings) => [strings.join("")]) : records;
  };

  const ask = async (name: string, type: string): Promise<Records> => {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late()), lookupMs);
    try {
      return await Promise.race([lookUp(name, type), tooLate]);
    } catch (error) {
      throw errorCode(error) === "EBADNAME" ? notFound() : error;
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    lookup: (name, type) => {
      const key = `${type} ${name.toLowerCase()}`;
      const now = performance.now();
      const known = kept.get(key);
      if (known !== undefined && known.until > now) return known.answer;
      const asked: Kept = { answer: ask(name, type), until: now + KEPT_MS, size: RECORD_SIZE };
      forget(key);
      kept.set(key, asked);
      size += asked.size;
      limit();
      asked.answer.then(
        (records) => {
          if (kept.get(key) !== asked) return;
          size -= asked.size;
          asked.size = RECORD_SIZE + sizeOf(records);
          size += asked.size;
          limit();
        },
        (error: unknown) => {
          if (!KEPT_FAILURES.includes(errorCode(error) ?? "") && kept.get(key) === asked) forget(key);
        },
      );
      return asked.answer;
    },
    close: () => resolver.cancel(),
  };
};
