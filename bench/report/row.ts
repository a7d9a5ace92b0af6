import * as z from "zod";
import { median, quantile } from "./statistics.ts";

const Goal = z.object({
  bound: z.enum(["at least", "at most"]),
  value: z.number(),
  /** Empty for a ratio. */
  unit: z.enum(["", "/s", "µs", "ms", "s", "B", "MB"]),
});
export type Goal = z.output<typeof Goal>;

/** A line of the table: a path, the goal for it, and what was measured. */
export const Row = z.object({
  path: z.string(),
  /** What `result` is, such as `requests/s, Postern ÷ bare`. */
  what: z.string(),
  goal: Goal,
  /** The median of the rounds. */
  result: z.number(),
  /** The quartiles of the rounds: half of them are in between. */
  spread: z.tuple([z.number(), z.number()]),
});
export type Row = z.output<typeof Row>;

export const atLeast = (value: number, unit: Goal["unit"] = ""): Goal => ({ bound: "at least", value, unit });

export const atMost = (value: number, unit: Goal["unit"] = ""): Goal => ({ bound: "at most", value, unit });

export const isMet = ({ goal: { bound, value }, result }: Pick<Row, "goal" | "result">): boolean =>
  bound === "at least" ? result >= value : result <= value;

/** The row for what was measured once in each round. */
export const rowOf = (about: Pick<Row, "path" | "what" | "goal">, rounds: readonly number[]): Row => ({
  ...about,
  result: median(rounds),
  spread: [quantile(rounds, 0.25), quantile(rounds, 0.75)],
});
