import type { NonEmpty, Result } from "@postern/core";
import type { CommandConfiguration, Environment } from "../configuration/configuration.ts";

type Usage = {
  /** The command line after the program's name, such as `backup FILE`. */
  readonly line: string;
  /** What it does. */
  readonly meaning: string;
};

/** What an operator can run besides the server. */
export type Command = {
  readonly usages: NonEmpty<Usage>;
  /** The names of its flags, without dashes; none by default. */
  readonly flags?: readonly string[];
  /**
   * Resolves to a message for the operator, on success and on failure; null if the arguments match none of `usages`.
   *
   * @param flags the flags that are set
   */
  run(
    configuration: CommandConfiguration,
    args: readonly string[],
    flags: ReadonlySet<string>,
  ): Promise<Result<string, string> | null>;
};

/** A command that also works if the configuration is invalid, so it reads the environment itself. */
export type Diagnosis = Pick<Command, "usages" | "flags"> & {
  /** Like `Command.run`. */
  diagnose(
    environment: Environment,
    args: readonly string[],
    flags: ReadonlySet<string>,
  ): Promise<Result<string, string> | null>;
};
