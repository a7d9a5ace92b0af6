import { err, ok, type Result } from "neverthrow";
import { parseAddressList } from "./address-list.ts";
import { type HeaderField, HeaderFields } from "./header-fields.ts";
import { hasTooManyHops, loopMarks } from "./loops.ts";
import { type Authentication, isHeaderTooLarge } from "./message.ts";

/** Why a message is refused, whatever becomes of its body. `code` is stable. */
export type MessageRefusal =
  /** Longer than `MAX_HEADER_OCTETS`, or than `MAX_HEADER_LINES`. */
  | { readonly code: "header_too_large" }
  /** It has passed more servers than any message needs: it goes round in a circle. */
  | { readonly code: "too_many_hops" }
  /** It was forwarded by this deployment before. */
  | { readonly code: "mail_loop" }
  /** It is for an alias, and does not say in one way that everybody reads alike who its author is. */
  | { readonly code: "from_invalid" }
  /** It is not from the domain in its `From`, which asks that such messages be rejected (DMARC). */
  | { readonly code: "sender_not_authentic" };

type CheckedAuthors = Pick<Authentication, "authorDomain" | "dmarc">;

/** What becomes of a message that fails DMARC where the policy is `reject`. */
export type DmarcMode = "reject" | "ignore";

/**
 * Whether the message has one `From`, and all authors in it have the domain that was checked. Otherwise what was checked is not what
 * recipients, rules and blocks go by: readers of a malformed `From` differ, and DMARC says nothing about several domains.
 */
const hasCheckedAuthors = (
  fields: readonly HeaderField[],
  { authorDomain, dmarc }: CheckedAuthors,
): boolean => {
  const [from, ...others] = HeaderFields.values(fields, "from");
  if (from === undefined || others.length > 0) return false;
  const domains = new Set(
    parseAddressList(from).map(({ address }) => /@([^@]+)$/.exec(address)?.[1]?.toLowerCase()),
  );
  const [domain] = domains;
  if (domain === undefined || domains.size > 1) return false;
  return domain === authorDomain || (authorDomain === null && dmarc.verdict === "temperror");
};

/**
 * The fields of a message that may be forwarded. A message to the operator alone is not refused because of a loop mark: it
 * goes to no alias, so it cannot come back; nor because of its `From`, which no rule looks at.
 */
export const admitMessage = (
  {
    header,
    authentication,
    toAlias,
  }: {
    readonly header: string;
    readonly authentication: CheckedAuthors;
    /** Whether an alias is among its recipients. */
    readonly toAlias: boolean;
  },
  { mark, dmarc }: { readonly mark: string; readonly dmarc: DmarcMode },
): Result<readonly HeaderField[], MessageRefusal> => {
  if (isHeaderTooLarge(header)) return err({ code: "header_too_large" });
  const fields = HeaderFields.split(header);
  if (hasTooManyHops(fields)) return err({ code: "too_many_hops" });
  if (toAlias && loopMarks(fields).includes(mark)) return err({ code: "mail_loop" });
  if (toAlias && !hasCheckedAuthors(fields, authentication)) return err({ code: "from_invalid" });
  const { verdict, policy } = authentication.dmarc;
  if (dmarc === "reject" && verdict === "fail" && policy === "reject") {
    return err({ code: "sender_not_authentic" });
  }
  return ok(fields);
};
