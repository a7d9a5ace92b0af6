import type { Result } from "@postern/core";
import type { CommandConfiguration, Environment } from "../configuration/configuration.ts";

/** Resolves to a message for the operator, on success and on failure; null if the arguments do not fit after all. */
type Run<Input> = (
  input: Input,
  /** What the line writes in capitals: as many as it demands, and no more than it allows. */
  args: readonly string[],
  /** The flags that are set, without dashes. */
  flags: ReadonlySet<string>,
) => Promise<Result<string, string> | null>;

/** How to use a command. */
export type Usage = {
  /**
   * The command line after the program's name, such as `account show [--json] ACCOUNT`: words, flags, and arguments in capitals, of which
   * those in brackets can be left out, and one that ends in `...` can be repeated. It decides which command runs.
   */
  readonly line: string;
  /** What it does. */
  readonly meaning: string;
};

/** What an operator can run besides the server. */
export type Command = Usage & { readonly run: Run<CommandConfiguration> };

/** A command that also works if the configuration is invalid, so it reads the environment itself. */
export type Diagnosis = Usage & { readonly diagnose: Run<Environment> };

const wordsOf = ({ line }: Usage): readonly string[] => line.split(" ").filter((part) => /^[a-z]/.test(part));

export const flagsOf = ({ line }: Usage): readonly string[] =>
  [...line.matchAll(/\[--([a-z-]+)\]/g)].map(([, flag = ""]) => flag);

/** The arguments after the command's own words; null if these positionals and flags do not fit it. */
export const argumentsFor = (
  usage: Usage,
  positionals: readonly string[],
  flags: ReadonlySet<string>,
): readonly string[] | null => {
  const words = wordsOf(usage);
  const args = positionals.slice(words.length);
  const required = usage.line.match(/(?<= )[A-Z]+/g)?.length ?? 0;
  const allowed = usage.line.endsWith("...")
    ? Number.POSITIVE_INFINITY
    : required + (usage.line.match(/(?<=\[)[A-Z]+/g)?.length ?? 0);
  const fits =
    words.every((word, n) => positionals[n] === word) &&
    args.length >= required &&
    args.length <= allowed &&
    flags.isSubsetOf(new Set(flagsOf(usage)));
  return fits ? args : null;
};

/** The commands whose line begins with this word, such as all that begin with `account`. */
export const commandsNamed = <C extends Usage>(commands: readonly C[], name: string | undefined) =>
  commands.filter((command) => wordsOf(command)[0] === name);
