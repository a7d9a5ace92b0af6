import { err, type Result } from "neverthrow";
import type * as z from "zod";
import { type InvalidRequest, parse } from "../../values/parse.ts";

declare const parsed: unique symbol;

/** An input that an operation has parsed and can run. Opaque: only the operation can look inside. */
export type Parsed<Input> = { readonly [parsed]: Input };

/**
 * Something that Postern can do. A call parses its raw input and, if it is valid, runs the operation. Never rejects.
 *
 * An adapter that reports invalid input in its own terms calls `parse`, then `run`.
 */
export type Operation<Input, Value, Failure> = {
  (input: Input): Promise<Result<Value, Failure>>;
  /** Everything that is wrong with the input, or the input ready to `run`. Calls no port. */
  readonly parse: (input: unknown) => Result<Parsed<Input>, InvalidRequest>;
  readonly run: (input: Parsed<Input>) => Promise<Result<Value, Exclude<Failure, InvalidRequest>>>;
};

/** Makes an operation from the schema that parses its input and the function that runs it. */
export const operation = <Input, Command, Value, Failure>(
  schema: z.ZodType<Command>,
  execute: (command: Command) => Promise<Result<Value, Exclude<Failure, InvalidRequest>>>,
): Operation<Input, Value, Failure | InvalidRequest> => {
  const call = async (input: Input): Promise<Result<Value, Failure | InvalidRequest>> => {
    const command = parse(schema, input);
    return command.isErr() ? err(command.error) : execute(command.value);
  };
  return Object.assign(call, {
    // Both casts are sound because nothing else makes or reads a `Parsed<Input>`.
    parse: (input: unknown) => parse(schema, input).map((command) => command as unknown as Parsed<Input>),
    run: (input: Parsed<Input>) => execute(input as unknown as Command),
  });
};
