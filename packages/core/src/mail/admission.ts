import { err, ok, type Result } from "neverthrow";
import { type HeaderField, HeaderFields } from "./header-fields.ts";
import { hasTooManyHops, loopMarks } from "./loops.ts";
import { type Authentication, MAX_HEADER_OCTETS } from "./message.ts";

/** Why a message is refused, whatever becomes of its body. `code` is stable. */
export type MessageRefusal =
  /** Longer than `MAX_HEADER_OCTETS`. */
  | { readonly code: "header_too_large" }
  /** It has passed more servers than any message needs: it goes round in a circle. */
  | { readonly code: "too_many_hops" }
  /** It was forwarded by this deployment before. */
  | { readonly code: "mail_loop" }
  /** It is not from the domain in its `From`, which asks that such messages be rejected (DMARC). */
  | { readonly code: "sender_not_authentic" };

/** What becomes of a message that fails DMARC where the policy is `reject`. */
export type DmarcMode = "reject" | "ignore";

/**
 * The fields of a message that may be forwarded. A message to the operator alone is not refused because of a loop mark: it
 * goes to no alias, so it cannot come back.
 */
export const admitMessage = (
  {
    header,
    authentication,
    toAlias,
  }: {
    readonly header: string;
    readonly authentication: Pick<Authentication, "dmarc">;
    /** Whether an alias is among its recipients. */
    readonly toAlias: boolean;
  },
  { mark, dmarc }: { readonly mark: string; readonly dmarc: DmarcMode },
): Result<readonly HeaderField[], MessageRefusal> => {
  if (header.length > MAX_HEADER_OCTETS) return err({ code: "header_too_large" });
  const fields = HeaderFields.split(header);
  if (hasTooManyHops(fields)) return err({ code: "too_many_hops" });
  if (toAlias && loopMarks(fields).includes(mark)) return err({ code: "mail_loop" });
  const { verdict, policy } = authentication.dmarc;
  if (dmarc === "reject" && verdict === "fail" && policy === "reject") {
    return err({ code: "sender_not_authentic" });
  }
  return ok(fields);
};
