import * as z from "zod";
import { Exchange } from "./exchange.ts";

/* The messages between the process that measures and the one that sends requests. */

/** For each connection, what it sends, over and over. */
export const Exchanges = z.array(z.array(Exchange).readonly()).readonly();
export type Exchanges = z.output<typeof Exchanges>;

export const Job = z.object({
  url: z.string(),
  seconds: z.number(),
  /** How many of the connections are used; all if undefined. */
  connections: z.number().optional(),
  /** Requests a second of all connections together; null to send as fast as responses come. */
  rate: z.number().nullable(),
});
export type Job = z.output<typeof Job>;

const Measured = z.object({
  requests: z.number(),
  seconds: z.number(),
  /** How long a response took, in milliseconds: half of all took no longer, and 99 in 100. */
  p50: z.number(),
  p99: z.number(),
  /** The CPU time of this process, as a share of one core. */
  cpu: z.number(),
});
export type Load = z.output<typeof Measured>;

export const Answer = z.union([Measured, z.object({ wrong: z.string() })]);
export type Answer = z.output<typeof Answer>;
