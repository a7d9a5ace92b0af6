import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import type { InvalidRequest } from "../../errors.ts";

/** More than these help nobody, and a hostile list of thousands must not become an answer of thousands. */
const MOST_ISSUES = 20;

/** Turns raw input into what `schema` describes, or says everything that is wrong with it (up to 20 issues). */
export const parse = <S extends z.ZodType>(
  schema: S,
  input: unknown,
): Result<z.output<S>, InvalidRequest> => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => ({ path: path.map(String), reason: message }));
  return err({ code: "invalid_request", issues });
};
