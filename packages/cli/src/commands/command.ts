import { type CommandUnknownOpts, InvalidArgumentError } from "@commander-js/extra-typings";
import { Stop } from "../stop.ts";

/** A command of a noun, with the options that all have. The line is its name and its arguments, such as `show <alias>`. */
export const leaf = <Line extends string>(noun: CommandUnknownOpts, line: Line, description: string) =>
  noun
    .command(line)
    .description(description)
    .option("--url <url>", "the server, instead of POSTERN_URL or the one that you are signed in to")
    .option("--json", "write what the API gives, as JSON: one object a line")
    .option("-q, --quiet", "write only what names each thing, such as its address");

/** The option of commands that ask first. */
export const YES = ["-y, --yes", "do not ask first"] as const;

/** A number from 0. @throws InvalidArgumentError, which commander shows together with the option */
export const parseCount = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(text);
};

/** When something ends, in epoch milliseconds. @throws InvalidArgumentError, which commander shows */
export const parseEnd = (text: string): number | "never" => {
  if (text === "never") return text;
  // Without an offset, a date alone would be one in UTC, and a date with a time one here.
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (Number.isNaN(time))
    throw new InvalidArgumentError("It must be a time such as 2027-01-31T18:00, or `never`.");
  return time;
};

type AtLeastOne<T> = readonly [T, ...T[]];

/** @throws Stop if the list is empty */
export const atLeastOne = <T>([first, ...others]: readonly T[], what: string): AtLeastOne<T> => {
  if (first === undefined) throw new Stop("usage", `Name at least one ${what}.`);
  return [first, ...others];
};

/** For options that can be repeated. */
export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
];
