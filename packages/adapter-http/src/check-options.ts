import type { InvalidRequest, Result } from "@postern/core";
import { parseLanguage, parseService } from "@postern/core/words";
import * as z from "zod";
import { logoProblem } from "./responses/logo.ts";
import { isOrigin } from "./syntax/origin.ts";

const aFunction = z.custom((value) => typeof value === "function", "must be a function");

const LIMIT = "must be a whole number, 0 or more; 0 means no limit";
const limit = z.int(LIMIT).min(0, LIMIT);

const ORIGIN = "must be an origin such as https://app.example.com: no path, no slash at the end, no *";

/** What a function of the core parses. */
const parsedBy = (parse: (input: unknown) => Result<unknown, InvalidRequest>) =>
  z.unknown().check(({ value, issues }) => {
    const parsed = parse(value);
    if (parsed.isErr()) {
      for (const { path, reason } of parsed.error.issues)
        issues.push({ code: "custom", input: value, path: [...path], message: reason });
    }
  });

const logo = z.instanceof(Uint8Array, { error: "must be a Uint8Array" }).check(({ value, issues }) => {
  const problem = logoProblem(value);
  if (problem !== null) issues.push({ code: "custom", input: value, message: problem });
});

const NO_KEYS = "is not an operation: pass what postern() returns for a store that has API keys";

const Options = z.object({
  postern: z.object(
    // One operation stands for all: `postern` returns all of them or throws. What `throwing` returns has no `parse`.
    {
      createAlias: z.custom(
        (value) => typeof value === "function" && "parse" in value,
        "is not an operation: pass what postern() returns",
      ),
    },
    "must be what postern() returns",
  ),
  authorizer: z.object(
    { authorize: aFunction },
    "must be an object with the method authorize, such as idTokenAuthorizer({ issuer, audience })",
  ),
  corsOrigins: z
    .array(z.string(ORIGIN).refine(isOrigin, ORIGIN), 'must be a list such as ["https://app.example.com"]')
    .optional(),
  rateLimit: z
    .object(
      { perMinute: limit, creationsPerMinute: limit.optional() },
      "must be an object such as { perMinute: 1200 }",
    )
    .optional(),
  publicDocument: z.boolean("must be true or false").optional(),
  service: parsedBy(parseService).optional(),
  logo: logo.optional(),
  language: parsedBy(parseLanguage).optional(),
  observer: aFunction.optional(),
  logger: z
    .object(
      { error: aFunction, warn: aFunction, info: aFunction },
      "must be an object with the methods error, warn and info, such as console",
    )
    .optional(),
});

const KeysOptions = Options.pick({ rateLimit: true, observer: true, logger: true }).extend({
  postern: z.object(
    { authenticateApiKey: z.custom((value) => typeof value === "function" && "parse" in value, NO_KEYS) },
    "must be what postern() returns",
  ),
});

/**
 * Checks what the compiler cannot check, or does not for callers that do not use it. Otherwise a mistake would show only
 * in each request, or not at all: a limit of `NaN` limits nothing.
 *
 * @throws TypeError that names every invalid option
 */
export const checkOptions = (options: object): void => check(Options, options);

/** The same for the options of an API that programs use with keys. */
export const checkKeysOptions = (options: object): void => check(KeysOptions, options);

const check = (schema: z.ZodType, options: object): void => {
  const { error } = schema.safeParse(options);
  if (error === undefined) return;
  throw new TypeError(error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
};
