import type { InvalidField, InvalidFields } from "./failure.ts";

/** The JSON pointer (RFC 6901) to the value at `path`. */
export const pointerTo = (path: readonly string[]): string =>
  path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The failure of a request in which exactly one thing is wrong. */
export const invalidField = (place: Omit<InvalidField, "reason">, reason: string): InvalidFields => ({
  code: "invalid_request",
  errors: [{ ...place, reason }],
});
