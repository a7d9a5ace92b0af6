import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";

/** Looks up the records of a type. Rejects with a `code`, as `node:dns` does. */
export type Lookup = (name: string, type: string) => Promise<string[][] | string[]>;

export type CachingResolver = {
  readonly lookup: Lookup;
  /** Ends the lookups under way. */
  close(): void;
};

/** How long one lookup may take, with its retries. */
const LOOKUP_MS = 5_000;
/** `node:dns` does not tell the TTL of text records. Those that matter here rarely have a shorter one. */
const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;

/** Answers that are remembered; failures of a name server are not. */
const KEPT_FAILURES = ["ENOTFOUND", "ENODATA"];

type Answer = ReturnType<Lookup>;

/** A failure of the lookup itself: those who check a message call it `temperror`. */
const late = () => Object.assign(new Error("the lookup took too long"), { code: "ETIMEOUT" });

const codeOf = (error: unknown): unknown => (error instanceof Error ? Reflect.get(error, "code") : undefined);

/** @throws TypeError */
const serverOf = (address: string): string => {
  const [, host = address] = /^\[?([^\]]+?)\]?:\d{1,5}$/.exec(address) ?? [];
  if (isIP(address) === 0 && isIP(host) === 0) throw new TypeError("dns must look like 127.0.0.1:53");
  return address;
};

/**
 * Asks the name server at `server` (`127.0.0.1:53`), or those of the system. A lookup takes at most 5 seconds. Answers are
 * remembered for a minute, at most 10,000 of them; lookups of the same records at the same time are one.
 *
 * @throws TypeError if `server` is malformed
 */
export const cachingResolver = (server: string | null, lookupMs = LOOKUP_MS): CachingResolver => {
  const resolver = new Resolver({ timeout: Math.ceil(lookupMs / 2), tries: 2 });
  if (server !== null) resolver.setServers([serverOf(server)]);
  /** The oldest first. */
  const kept = new Map<string, { readonly answer: Answer; readonly until: number }>();

  // Of the records that mailauth asks for, its type leaves out MX; it reads them as `node:dns` returns them.
  const lookUp = async (name: string, type: string) => (await resolver.resolve(name, type)) as string[][];

  const ask = async (name: string, type: string): Answer => {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late()), lookupMs);
    try {
      return await Promise.race([lookUp(name, type), tooLate]);
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
      const answer = ask(name, type);
      kept.delete(key);
      kept.set(key, { answer, until: now + KEPT_MS });
      answer.catch((error: unknown) => {
        if (!KEPT_FAILURES.includes(String(codeOf(error))) && kept.get(key)?.answer === answer)
          kept.delete(key);
      });
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break;
        kept.delete(oldest);
      }
      return answer;
    },
    close: () => resolver.cancel(),
  };
};
