import * as z from "zod";

/** Epoch milliseconds. */
export const timestamp = z.int().nonnegative();

export const version = z.int().positive();

/** Plain data with named fields. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (input: unknown): input is Fields =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/** Whether the schema of a count accepts the input; the schema of `timestamp` is the same. */
export const isCount = (input: unknown): input is number =>
  typeof input === "number" && Number.isSafeInteger(input) && input >= 0;

/** Whether the schema of `version` accepts the input. */
export const isVersion = (input: unknown): input is number => isCount(input) && input > 0;

export const isTimestampOrNull = (input: unknown): input is number | null => input === null || isCount(input);

/** Whether an enum schema of these values accepts the input. */
export const isOneOf = <T extends string>(all: readonly T[], input: unknown): input is T =>
  all.some((each) => each === input);
