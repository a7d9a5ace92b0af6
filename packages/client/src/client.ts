import { baseAddress } from "./base-address.ts";
import { call, type Surroundings } from "./call.ts";
import { OPERATIONS } from "./generated/operations.ts";
import { allItems, LISTS, type Lists } from "./lists.ts";
import type { OperationId, Operations } from "./operations.ts";
import { type ReassignAll, reassignAll } from "./reassign-all.ts";
import { inputOf } from "./request.ts";
import { type AskForToken, tokensOf } from "./tokens.ts";

export type ClientSettings = {
  /**
   * Where the API is, such as `https://post.example/v1`. `http://` is refused, except on this machine, because the token would be sent in
   * the clear.
   */
  readonly baseUrl: string;
  /**
   * An ID token, or a function that supplies one before each request. After a 401, the function is asked once with `renew: true`, for all
   * requests that were refused with the same token, and these are sent once more. Where the service takes keys (`keys_url`), a key.
   */
  readonly token: string | AskForToken;
  /**
   * How often a request is sent, at most: 4 by default. With 1, nothing is repeated, except after a 401: for a program in which a person sees
   * what failed, and decides.
   */
  readonly attempts?: number | undefined;
  /** By default, the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
};

/** A function for each operation of the API, for each list with pages, and `reassignAll`. */
export type Client = Operations & Lists & { readonly reassignAll: ReassignAll };

/** Longer than the API takes for anything: it waits 15 seconds for the response of a webhook. */
const TIMEOUT_MS = 30_000;

export const pause: Surroundings["pause"] = (milliseconds, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });

/** What tests need in order not to wait. */
export const clientWith = (
  { baseUrl, token, attempts = 4, fetch = (...request) => globalThis.fetch(...request) }: ClientSettings,
  timing: Pick<Surroundings, "pause" | "timeout">,
): Client => {
  const surroundings: Surroundings = {
    base: baseAddress(baseUrl),
    tokens: tokensOf(token),
    attempts,
    fetch,
    ...timing,
  };
  const operation =
    (id: OperationId) =>
    (...args: readonly unknown[]) =>
      call(surroundings, id, inputOf(id, args));
  const operations = Object.fromEntries(
    // The table has no other keys.
    (Object.keys(OPERATIONS) as OperationId[]).map((id) => [id, operation(id)]),
  );
  const lists = Object.fromEntries(
    Object.entries(LISTS).map(([name, { pages, items }]) => [
      name,
      (...args: readonly unknown[]) =>
        allItems((input) => call(surroundings, pages, input), items, inputOf(pages, args)),
    ]),
  );
  // The types are derived from the same tables. Answers are what the API's document says: its tests compare each with it.
  const functions: unknown = { ...operations, ...lists };
  const client = functions as Operations & Lists;
  return { ...client, reassignAll: reassignAll(client) };
};

/**
 * A client of the API at an address. Its functions never throw: what goes wrong is a value.
 *
 * @throws TypeError if `baseUrl` is not an address to which a token may be sent
 * @example
 * ```ts
 * const client = createClient({ baseUrl: "https://post.example/v1", token });
 * const replaced = await client.replaceRecipients(aliasId, [home, work], { ifMatch: etag });
 * if (!replaced.ok && replaced.problem.code === "recipients_ineligible") console.error(replaced.problem.recipients);
 * ```
 */
export const createClient = (settings: ClientSettings): Client =>
  clientWith(settings, { pause, timeout: TIMEOUT_MS });
