import type { Client } from "./client.ts";
import type { Failure, Problem } from "./operations.ts";

type Succeeded<Outcome> = Extract<Outcome, { readonly ok: true }>;
type Value<Outcome> = Outcome extends { readonly ok: true; readonly data: infer Data } ? Data : never;

/** The same functions, which resolve to a success or reject with a `ClientError`. Lists yield the items themselves. */
export type ThrowingClient = {
  readonly [Name in keyof Client]: Client[Name] extends (...input: infer Input) => infer Output
    ? Output extends Promise<infer Outcome>
      ? (...input: Input) => Promise<Succeeded<Outcome>>
      : Output extends AsyncIterableIterator<infer Outcome>
        ? (...input: Input) => AsyncIterableIterator<Value<Outcome>>
        : never
    : never;
};

/** A failure as an exception. The message, for logs, contains no address and no token. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  /** Stable: match on it. */
  readonly code: Problem["code"];
  readonly problem: Problem;
  readonly requestId: string | null;
  /** In seconds. */
  readonly retryAfter: number | null;

  constructor({ problem, requestId, retryAfter }: Failure<Problem>) {
    super(`${problem.code}: ${problem.detail}`);
    this.code = problem.code;
    this.problem = problem;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}
