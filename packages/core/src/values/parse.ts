import { err, ok, type Result } from "neverthrow";
import type * as z from "zod";

/** The input does not have the documented form. `issues` say where and why, and repeat nothing from the input but the names of fields. */
export type InvalidRequest = { readonly code: "invalid_request"; readonly issues: readonly InputIssue[] };

/** `path` leads to the invalid value: field names, and positions in lists. */
export type InputIssue = { readonly path: readonly string[]; readonly reason: string };

/** Longer lists do not help, and hostile input with thousands of issues must not cause a huge response. */
const MAX_ISSUES = 20;

const NOUNS: Record<string, string> = {
  string: "a string",
  object: "an object",
  array: "a list",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** `origin` is the type of the value whose size, or number, is limited. */
const measured = (bound: number | bigint, origin: string, comparison: string): string => {
  if (origin === "string") return `must be ${comparison} ${bound} characters`;
  return origin === "array" || origin === "set"
    ? `must have ${comparison} ${bound} items`
    : `must be ${comparison} ${bound}`;
};

/** The wording of issues for which the schema has no message. Never zod's own wording, which is for developers. */
const wording = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is required"
        : `must be ${NOUNS[issue.expected] ?? "of another type"}`;
    case "too_small":
      return measured(issue.minimum, issue.origin, issue.inclusive === false ? "more than" : "at least");
    case "too_big":
      return measured(issue.maximum, issue.origin, issue.inclusive === false ? "less than" : "at most");
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `has unknown fields: ${issue.keys.join(", ")}`;
    default:
      return "is not valid";
  }
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
