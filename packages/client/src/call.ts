import { type Outcome, type Row, readAnswer } from "./answer.ts";
import { OPERATIONS } from "./generated/operations.ts";
import { type Failure, type OperationId, type Problem, REPEATED } from "./operations.ts";
import { failure, unauthorized, unreachable } from "./problems.ts";
import { type Input, type Prepared, prepare } from "./request.ts";
import type { Tokens } from "./tokens.ts";

/** What calls need. Tests replace the pauses. */
export type Surroundings = {
  /** The address of the API, without a slash at its end. */
  readonly base: string;
  readonly tokens: Tokens;
  /** How often a request is sent, at most, if it may be repeated. */
  readonly attempts: number;
  readonly fetch: typeof globalThis.fetch;
  /** Resolves after so many milliseconds, or earlier if the signal aborts. */
  readonly pause: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** How long an answer may take, in milliseconds. */
  readonly timeout: number;
};

/** In seconds: what is to be tried again later than this is for the caller to decide. */
const LONGEST_PAUSE = 60;

/** What headers can carry. The API refuses everything else, and `fetch` would throw. */
const TOKEN = /^[!-~]+$/;

/** Statuses of the API, or of a proxy before it, that a later attempt can change. */
const isPassing = (status: number | null): boolean =>
  status === 429 || status === 502 || status === 503 || status === 504;

const isWorthRepeating = ({ problem }: Failure<Problem>): boolean =>
  isPassing(problem.status) ||
  (problem.code === "unreachable" && ["network", "timeout"].includes(problem.reason));

/**
 * In milliseconds: half a second, then one, then two, unless the API says how many seconds; and by chance up to a quarter more, so that
 * clients do not all come back at once.
 */
const pauseAfter = (attempt: number, { retryAfter }: Failure<Problem>): number =>
  1000 * (retryAfter ?? 2 ** (attempt - 2)) * (1 + Math.random() / 4);

/** Sends a request once. */
const send = async (
  { fetch, timeout }: Surroundings,
  row: Row,
  { url, ...prepared }: Prepared,
  signal: AbortSignal | undefined,
): Promise<Outcome> => {
  const stop = new AbortController();
  const abort = () => stop.abort();
  const timer = setTimeout(abort, timeout);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    // Followed, a redirect would take the token along. Nothing but the token says who asks: no cookies.
    const init: RequestInit = { ...prepared, redirect: "manual", credentials: "omit", signal: stop.signal };
    return await readAnswer(row, await fetch(url, init));
  } catch (error) {
    const reason = signal?.aborted ? "aborted" : stop.signal.aborted ? "timeout" : "network";
    return failure(unreachable(reason, null, error));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
};

/** Rejects as soon as the signal aborts. What the promise stands for goes on: others may wait for it. */
const orAborted = async <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
};

const isUnauthorized = (outcome: Outcome): boolean => !outcome.ok && outcome.problem.code === "unauthorized";

/** Sends a request with a token. If it is refused, sends it once more with a renewed one. */
const sendWithToken = async (
  surroundings: Surroundings,
  row: Row,
  prepared: Prepared,
  signal: AbortSignal | undefined,
): Promise<Outcome> => {
  const { tokens } = surroundings;
  const sendWith = (token: string): Promise<Outcome> => {
    const headers = { ...prepared.headers, authorization: `Bearer ${token}` };
    return send(surroundings, row, { ...prepared, headers }, signal);
  };
  try {
    const token = await orAborted(tokens.current(), signal);
    const outcome = TOKEN.test(token) ? await sendWith(token) : failure(unauthorized());
    const renewal = isUnauthorized(outcome) ? tokens.renewed(token) : null;
    if (renewal === null) return outcome;
    const renewed = await orAborted(renewal, signal);
    const again = TOKEN.test(renewed) ? await sendWith(renewed) : outcome;
    if (isUnauthorized(again)) tokens.forget();
    return again;
  } catch (error) {
    // Only asking for a token throws.
    return failure(signal?.aborted ? unreachable("aborted", null, error) : unauthorized(error));
  }
};

/** Carries out an operation, in several attempts if repeating it is safe. Never throws. */
export const call = async (surroundings: Surroundings, id: OperationId, input: Input): Promise<Outcome> => {
  const row = OPERATIONS[id];
  const prepared = prepare(surroundings.base, id, input);
  if ("problem" in prepared) return failure(prepared.problem);
  const repeated: Readonly<Record<string, string>> = REPEATED;
  const attempts = repeated[id] === "never" ? 1 : surroundings.attempts;
  const { signal } = input.options;
  const attempt = row.isPublic ? send : sendWithToken;
  for (let count = 1; ; count += 1) {
    const outcome = await attempt(surroundings, row, prepared, signal);
    if (outcome.ok || count >= attempts || !isWorthRepeating(outcome)) return outcome;
    if ((outcome.retryAfter ?? 0) > LONGEST_PAUSE) return outcome;
    await surroundings.pause(pauseAfter(count, outcome), signal);
    if (signal?.aborted) return failure(unreachable("aborted", null, signal.reason));
  }
};
