import { OPERATIONS } from "./generated/operations.ts";
import { ONLY_MEMBER, type OperationId, type Problem, REPEATED } from "./operations.ts";
import { invalidRequest } from "./problems.ts";

type AnyOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
};

/** The arguments of an operation, whichever it is. */
export type Input = {
  readonly ids: readonly unknown[];
  /** The body or the query. */
  readonly value: unknown;
  readonly options: AnyOptions;
};

/** Sorts arguments by their places. */
export const inputOf = (id: OperationId, args: readonly unknown[]): Input => {
  const { path, takes } = OPERATIONS[id];
  const count = path.split("{").length - 1;
  const [value, options] = takes === "nothing" ? [undefined, args[count]] : args.slice(count);
  // `Arguments` guarantees that these are options.
  return { ids: args.slice(0, count), value, options: (options ?? {}) as AnyOptions };
};

/** What is sent, but for the token. */
export type Prepared = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** `URL` would take `.` and `..` out of the path, and what is no Unicode cannot be encoded. */
const NO_SEGMENT = /^\.{0,2}$|\p{Surrogate}/u;

const ETAGS = /^(?:\*|(?:W\/)?"[ -~]*")$/;
const KEY = /^[!-~]{1,128}$/;

/** 144 random bits. Not a UUID, because browsers make these only for pages that came by https. */
const newKey = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))));

const queryOf = (value: object): string => {
  const given = Object.entries(value).filter(([, parameter]) => parameter !== undefined);
  const query = new URLSearchParams(given.map(([name, parameter]) => [name, `${parameter}`]));
  return query.size === 0 ? "" : `?${query}`;
};

/** Which parameter cannot be sent, and why; null if all can. */
const refusal = (names: readonly string[], { ids, options }: Input): readonly [string, string] | null => {
  const wrong = names.find((_, place) => {
    const segment = ids[place];
    return typeof segment !== "string" || NO_SEGMENT.test(segment);
  });
  if (wrong !== undefined) return [wrong, "is not an id"];
  const { ifMatch = "*", idempotencyKey = "-" } = options;
  if (!ETAGS.test(ifMatch)) return ["If-Match", "is not the etag of an answer"];
  if (!KEY.test(idempotencyKey)) return ["Idempotency-Key", "must be 1 to 128 visible ASCII characters"];
  return null;
};

/** What to send, or why it cannot be sent. */
export const prepare = (
  base: string,
  id: OperationId,
  input: Input,
): Prepared | { readonly problem: Problem } => {
  const { method, path, takes } = OPERATIONS[id];
  const repeated: Readonly<Record<string, string>> = REPEATED;
  const members: Readonly<Record<string, string>> = ONLY_MEMBER;
  const refused = refusal(path.match(/(?<=\{)\w+/g) ?? [], input);
  if (refused !== null) return { problem: invalidRequest(path, ...refused) };

  const { value, options } = input;
  const ids = [...input.ids];
  const url = base + path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(`${ids.shift()}`));
  const member = members[id];
  const body = member === undefined ? value : { [member]: value };
  const isBody = takes === "body" && body !== undefined;
  const key = repeated[id] === "with a key" ? (options.idempotencyKey ?? newKey()) : undefined;
  return {
    url: takes === "query" ? url + queryOf(value ?? {}) : url,
    method,
    headers: {
      accept: "application/json",
      ...(isBody && { "content-type": "application/json" }),
      ...(options.ifMatch !== undefined && { "if-match": options.ifMatch }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    body: isBody ? JSON.stringify(body) : null,
  };
};
