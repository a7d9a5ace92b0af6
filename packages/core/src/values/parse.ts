import { err, ok, type Result } from "neverthrow";
import type * as z from "zod";

/** The input does not have the documented form. `issues` say where and why, and never repeat the input. */
export type InvalidRequest = { readonly code: "invalid_request"; readonly issues: readonly InputIssue[] };

/** `path` leads to the invalid value: field names, and positions in lists. */
export type InputIssue = { readonly path: readonly string[]; readonly reason: string };

/** Longer lists do not help, and a hostile input with thousands of issues must not make a huge response. */
const MAX_ISSUES = 20;

const NOUNS: Record<string, string> = {
  string: "a string",
  object: "an object",
  array: "a list",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** The wording of issues for which the schema has no message. */
const wording = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code !== "invalid_type") return undefined;
  if (issue.input === undefined) return "is required";
  return `must be ${NOUNS[issue.expected] ?? "of another type"}`;
};

/** Parses raw input with `schema`, or returns everything that is wrong with it (up to 20 issues). */
export const parse = <T>(schema: z.ZodType<T>, input: unknown): Result<T, InvalidRequest> => {
  const parsed = schema.safeParse(input, { error: wording });
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.map(String), reason: message }));
  return err({ code: "invalid_request", issues });
};
