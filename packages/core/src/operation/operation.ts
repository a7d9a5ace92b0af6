import { err, type Result } from "neverthrow";
import type * as z from "zod";
import type { AccountId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { begin, type TimeLeft, type Timing } from "./deadline.ts";

declare const parsed: unique symbol;

/** An input that an operation has parsed and can run. Opaque: only the operation can look inside. */
export type Parsed<Input> = { readonly [parsed]: Input };

/**
 * Something that Postern can do. A call parses its raw input and, if it is valid, runs the operation. Rejects only if a port
 * does, and fails with `unavailable` rather than take longer than the `timeoutMs` of its ports.
 *
 * An adapter that reports invalid input in its own terms calls `parse`, then `run`.
 */
export type Operation<Input, Value, Failure> = {
  (input: Input): Promise<Result<Value, Failure>>;
  /** Everything that is wrong with the input, or the input ready to `run`. Calls no port. */
  readonly parse: (input: unknown) => Result<Parsed<Input>, InvalidRequest>;
  /** `larger` is the time left for something larger that the operation is part of. It ends within that, and within `timeoutMs`. */
  readonly run: (
    input: Parsed<Input>,
    larger?: TimeLeft,
  ) => Promise<Result<Value, Exclude<Failure, InvalidRequest>>>;
};

/** Whether an account may do something itself. */
export type Admission<Refusal> = {
  /** Whether it is known, without waiting, that the account is admitted. */
  readonly isAdmitted: (account: AccountId) => boolean;
  readonly admit: (account: AccountId, timeLeft: TimeLeft) => Promise<Result<void, Refusal>>;
};

/**
 * An operation that an account performs itself, which runs only if the account is admitted. Parsing does not ask for
 * admission. Asking and running share one deadline.
 */
export const admitted = <Input extends { readonly account: string }, Value, Failure, Refusal>(
  { parse, run }: Operation<Input, Value, Failure>,
  { isAdmitted, admit }: Admission<Exclude<Refusal, InvalidRequest>>,
  timing: Timing,
): Operation<Input, Value, Failure | Refusal | InvalidRequest> => {
  type Outcome<E> = Promise<Result<Value, E>>;

  const askAndRun = async (
    account: AccountId,
    input: Parsed<Input>,
    timeLeft: TimeLeft,
  ): Outcome<Exclude<Failure | Refusal, InvalidRequest>> => {
    const admission = await admit(account, timeLeft);
    return admission.isErr() ? err(admission.error) : run(input, timeLeft);
  };
  const runAdmitted = (
    input: Parsed<Input>,
    larger?: TimeLeft,
  ): Outcome<Exclude<Failure | Refusal, InvalidRequest>> => {
    // Sound because the schema of each such operation leaves the account as it is, as an `AccountId`.
    const { account } = input as unknown as { readonly account: AccountId };
    // The account is nearly always admitted, so that must not cost another asynchronous step.
    return isAdmitted(account) ? run(input, larger) : askAndRun(account, input, begin(timing, larger));
  };
  const call = async (input: Input): Outcome<Failure | Refusal | InvalidRequest> => {
    const command = parse(input);
    return command.isErr() ? err(command.error) : runAdmitted(command.value);
  };
  return Object.assign(call, { parse, run: runAdmitted });
};

/** The ports of several use cases together. */
export type PortsOf<UseCase extends (ports: never) => unknown> = (
  UseCase extends (ports: infer Ports) => unknown
    ? (ports: Ports) => void
    : never
) extends (ports: infer All) => void
  ? All
  : never;

/** Makes an operation from its timing, the schema that parses its input and the function that runs it. */
export const operation = <Input, Command, Value, Failure>(
  timing: Timing,
  schema: z.ZodType<Command>,
  execute: (command: Command, timeLeft: TimeLeft) => Promise<Result<Value, Exclude<Failure, InvalidRequest>>>,
): Operation<Input, Value, Failure | InvalidRequest> => {
  const call = async (input: Input): Promise<Result<Value, Failure | InvalidRequest>> => {
    const command = parse(schema, input);
    return command.isErr() ? err(command.error) : execute(command.value, begin(timing));
  };
  return Object.assign(call, {
    // Both casts are sound because nothing but this file makes or reads a `Parsed<Input>`.
    parse: (input: unknown) => parse(schema, input).map((command) => command as unknown as Parsed<Input>),
    run: (input: Parsed<Input>, larger?: TimeLeft) =>
      execute(input as unknown as Command, begin(timing, larger)),
  });
};
