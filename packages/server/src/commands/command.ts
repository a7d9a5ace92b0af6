import type { Result } from "@postern/core";
import type { StoreConfiguration } from "../configuration/configuration.ts";

/** What an operator can run besides the server. */
export type Command = {
  /** The command line after the program's name, such as `backup FILE`. */
  readonly usage: string;
  readonly meaning: string;
  /** Resolves to a message for the operator, on success and on failure; null if the arguments do not match `usage`. */
  run(configuration: StoreConfiguration, args: readonly string[]): Promise<Result<string, string> | null>;
};
