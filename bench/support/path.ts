import type { Effort, Measured } from "../report/report.ts";
import type { Claims } from "./server.ts";
import type { Setup } from "./setup.ts";

/** What a path is measured with. */
export type Bench = {
  /** For contenders, but with an empty fixture. */
  readonly setup: Setup;
  /** A token of the account that every contender accepts. With other claims, such as `jti`, it is another token. */
  token(account: string, claims?: Claims): string;
  readonly effort: Effort;
};

/** Something that users wait for, with what it is compared to. */
export type Path = {
  /** For the command line. */
  readonly name: string;
  /** What is measured, for the report. */
  readonly about: string;
  run(bench: Bench): Promise<Measured>;
};
