import type { Result } from "neverthrow";
import type { StoreConfiguration } from "../configuration/configuration.ts";

/** Something an operator can do beside serving. */
export type Command = {
  /** What to write after the program's name, such as `backup FILE`. */
  readonly usage: string;
  readonly meaning: string;
  /** What to tell when it went well, or what went wrong, in words. Null where the arguments are not those of `usage`. */
  run(configuration: StoreConfiguration, args: readonly string[]): Promise<Result<string, string> | null>;
};
