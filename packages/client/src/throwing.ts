import type { Client } from "./client.ts";
import type { Failure, Problem } from "./operations.ts";

/** A failure as an exception. The message, for logs, contains no address and no token. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  /** Stable: match on it. */
  readonly code: Problem["code"];
  readonly problem: Problem;
  /** Identifies the request in the logs of the server; null if it did not answer. */
  readonly requestId: string | null;
  /** After how many seconds the server asks to try again; null if it does not say. */
  readonly retryAfter: number | null;

  constructor({ problem, requestId, retryAfter }: Failure<Problem>) {
    super(`${problem.code}: ${problem.detail}`);
    this.code = problem.code;
    this.problem = problem;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

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

type AnyOutcome = { readonly ok: true; readonly data: unknown } | Failure<Problem>;
type AnyOutput = Promise<AnyOutcome> | AsyncIterableIterator<AnyOutcome>;

const succeeded = (outcome: AnyOutcome) => {
  if (!outcome.ok) throw new ClientError(outcome);
  return outcome;
};

async function* values(outcomes: AsyncIterableIterator<AnyOutcome>) {
  for await (const outcome of outcomes) yield succeeded(outcome).data;
}

/**
 * For callers who prefer exceptions.
 *
 * @example
 * ```ts
 * const { createAlias, allAliases } = throwing(createClient({ baseUrl, token }));
 * const { data: alias } = await createAlias({ recipient_ids: [home] });
 * for await (const { alias_email } of allAliases({ q: "shop" })) console.log(alias_email);
 * ```
 */
export const throwing = (client: Client): ThrowingClient => {
  const functions: unknown = Object.fromEntries(
    Object.entries<(...input: never) => AnyOutput>(client).map(([name, call]) => [
      name,
      (...input: never) => {
        const output = call(...(input as never));
        return output instanceof Promise ? output.then(succeeded) : values(output);
      },
    ]),
  );
  // Sound because `ThrowingClient` changes the type of each function just as this changes the function.
  return functions as ThrowingClient;
};
