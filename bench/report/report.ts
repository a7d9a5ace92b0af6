import * as z from "zod";
import { Row } from "./row.ts";

const perRound = z.array(z.number()).readonly();

/** What one contender did in each round. */
const Rounds = z.object({
  name: z.string(),
  /** Requests a second. */
  rate: perRound,
  /** CPU time of the server for a request, in microseconds. */
  cpu: perRound,
  /** How long a response took, in milliseconds: half of all took no longer, and 99 in 100. */
  p50: perRound,
  p99: perRound,
  /** CPU time of the process that sends requests, as a share of one core. At 1 it is what limits the rate. */
  loadCpu: perRound,
  /** The largest RSS of the server from its start to the end of each round, in bytes. */
  peakRss: perRound,
});
export type Rounds = z.output<typeof Rounds>;

/** What was measured of one path. */
const Measured = z.object({
  rows: z.array(Row).readonly(),
  /** What the rows were computed from, if the path is about HTTP. */
  rounds: z.array(Rounds).readonly(),
  /** A sentence below the table. */
  note: z.string().optional(),
});
export type Measured = z.output<typeof Measured>;

/** How long everything is measured. */
const Effort = z.object({
  rounds: z.number(),
  /** How long each contender is measured in a round. */
  seconds: z.number(),
  /** How many aliases count as many. */
  many: z.number(),
});
export type Effort = z.output<typeof Effort>;

/** A run: docs/benchmarks.json. */
export const Report = z.object({
  /** The day, such as 2026-12-31. */
  date: z.string(),
  effort: Effort,
  /** What the figures depend on, as lines of text. */
  facts: z.array(z.string()).readonly(),
  /** In the order of the run. A path that could not be measured has a `failure` instead. */
  paths: z
    .array(
      z.object({
        name: z.string(),
        about: z.string(),
        measured: Measured.nullable(),
        failure: z.string().nullable(),
      }),
    )
    .readonly(),
});
export type Report = z.output<typeof Report>;

/** The minimum for figures that can be relied on. */
export const THOROUGH: Effort = { rounds: 7, seconds: 2, many: 1_000_000 };

/** Enough to see that everything works. */
export const QUICK: Effort = { rounds: 3, seconds: 0.5, many: 10_000 };

export const isThorough = ({ rounds, seconds, many }: Effort): boolean =>
  rounds >= THOROUGH.rounds && seconds >= THOROUGH.seconds && many >= THOROUGH.many;
