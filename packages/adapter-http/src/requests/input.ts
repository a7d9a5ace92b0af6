import { PageLimit } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import type { InvalidField, RequestError } from "../problems/failure.ts";
import { pointerTo } from "../problems/problem.ts";

/** More than these help nobody, and a hostile body must not become an answer many times its size. */
const MOST_ERRORS = 20;

const NOUNS: Record<string, string> = {
  string: "a string",
  object: "a JSON object",
  array: "a list",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** zod's wording for what the schemas leave to it. */
const wording = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code !== "invalid_type") return undefined;
  if (issue.input === undefined) return "is required";
  return `must be ${NOUNS[issue.expected] ?? "of another type"}`;
};

const read = <S extends z.ZodType>(
  schema: S,
  input: unknown,
  wording: z.core.$ZodErrorMap,
  place: (path: readonly PropertyKey[]) => Omit<InvalidField, "reason">,
): Result<z.output<S>, RequestError> => {
  const parsed = schema.safeParse(input, { error: wording });
  if (parsed.success) return ok(parsed.data);
  const errors = parsed.error.issues
    .flatMap((issue): InvalidField[] =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ ...place([...issue.path, key]), reason: "is not known" }))
        : [{ ...place(issue.path), reason: issue.message }],
    )
    .slice(0, MOST_ERRORS);
  return err({ code: "invalid_request", errors });
};

/** The body as `schema` describes it. One that was not sent at all is as wrong as one that is no object. */
export const readBody = <S extends z.ZodType>(schema: S, body: unknown) =>
  read(schema, body, wording, (path) => ({ pointer: pointerTo(path) }));

/** Path or query parameters as `schema` describes them. */
export const readParameters = <S extends z.ZodType>(schema: S, parameters: unknown) =>
  read(
    schema,
    parameters,
    // The query parser makes a list of what is repeated.
    (issue) => (Array.isArray(issue.input) ? "must be given once" : wording(issue)),
    (path) => ({ parameter: path.map(String).join(".") }),
  );

export const invalidField = (place: Omit<InvalidField, "reason">, reason: string): RequestError => ({
  code: "invalid_request",
  errors: [{ ...place, reason }],
});

/** A query parameter that is true or false. */
export const Flag = z.preprocess(
  (text) => (text === "true" ? true : text === "false" ? false : text),
  z.boolean(),
);

/** The query of a route that answers pages. */
export const PageQuery = z.strictObject({
  limit: z
    .preprocess(
      (text) => (typeof text === "string" && /^[0-9]{1,9}$/.test(text) ? Number(text) : text),
      PageLimit,
    )
    .optional()
    .describe("How many items the page may hold"),
  cursor: z.string().optional().describe("`next_cursor` of the page before"),
});
