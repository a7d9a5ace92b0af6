import * as z from "zod";
import { isNonEmpty, type NonEmpty } from "../values/non-empty.ts";

/**
 * What a program with an API key may do: create aliases; read aliases, their rules and their contacts; change them; read recipients; read
 * the message log. No scope lets a program create keys, recipients or webhooks.
 */
export type Scope = (typeof SCOPES)[number];
export const SCOPES = [
  "aliases:create",
  "aliases:read",
  "aliases:write",
  "recipients:read",
  "messages:read",
] as const;

/** Each once, in the order of `SCOPES`. */
export const scopes = z
  .array(z.enum(SCOPES, `must be one of: ${SCOPES.join(", ")}`))
  .max(SCOPES.length * 2, `must have at most ${SCOPES.length * 2} items`)
  .transform((listed, context): NonEmpty<Scope> => {
    const each = SCOPES.filter((scope) => listed.includes(scope));
    if (isNonEmpty(each)) return each;
    context.addIssue("must name at least one scope");
    return z.NEVER;
  });
