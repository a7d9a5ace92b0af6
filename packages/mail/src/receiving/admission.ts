import { EmailAddress } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import type { DmarcMode } from "../context.ts";
import { MAX_TOKENS } from "../header/address-list.ts";
import { addressOf, authorsIn, comparableDomain, domainOf } from "../header/authors.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { hops, loopMarks, MAX_HOPS } from "../message/loops.ts";
import { type Alignment, type Authentication, isHeaderTooLarge } from "../message/message.ts";
import { isConcealedToTheEnd } from "../rewriting/concealed-ids.ts";

/** Why a message is refused, regardless of its body. `code` is stable. */
export type MessageRefusal =
  /** Its header is longer than `MAX_HEADER_OCTETS` or `MAX_HEADER_LINES`. */
  | { readonly code: "header_too_large" }
  /** It has passed through more servers than any message needs: it is in a loop. */
  | { readonly code: "too_many_hops" }
  /** It has already been forwarded by this deployment, or came to the same alias too often: it is in a loop. */
  | { readonly code: "mail_loop" }
  /** It is for an alias or a contact, and does not name its author in a way that everybody reads alike. */
  | { readonly code: "from_invalid" }
  /**
   * It is for an alias or a contact, and the check of its author failed as a whole, which the sender could have caused. Or a name server
   * did not answer, so it may or may not be from the domain in its `From`, which asks that other messages be rejected.
   */
  | { readonly code: "author_not_checked" }
  /** It is not from the domain in its `From`, which asks that such messages be rejected (DMARC). */
  | { readonly code: "sender_not_authentic" };

type CheckedAuthors = Pick<Authentication, "authorDomain" | "dmarc">;

/**
 * Whether a message for an alias is in a loop: it has our mark, or several aliases have concealed its id one after the other, but it has no
 * trace of them, so that it is written anew on the way.
 */
const isInLoop = (fields: readonly HeaderField[], mark: string): boolean => {
  const [messageId = ""] = HeaderFields.values(fields, "message-id");
  return loopMarks(fields).includes(mark) || (hops(fields) < 2 && isConcealedToTheEnd(messageId));
};

/** The domain of all authors in the only `From`; null if there is none, or there can be no such domain. */
const domainOfAuthors = (fields: readonly HeaderField[]): string | null => {
  const [from, ...others] = HeaderFields.values(fields, "from");
  // A token has at least one character, so the From is read as a whole.
  if (from === undefined || others.length > 0 || from.length > MAX_TOKENS) return null;
  const [domain = null, ...otherDomains] = new Set(authorsIn(from).map(domainOf));
  return otherDomains.length > 0 ? null : domain;
};

/**
 * Refuses a message unless its authors are those that were checked. Otherwise recipients, rules and blocks would go by authors that were
 * not checked: programs read a malformed `From` differently, and DMARC says nothing about several domains. Nor about domains that cannot
 * exist, such as `bank.example'`, which people take for one that has a policy.
 */
const admitAuthors = (
  fields: readonly HeaderField[],
  { authorDomain, dmarc }: CheckedAuthors,
): Result<void, MessageRefusal> => {
  const domain = domainOfAuthors(fields);
  if (domain !== null && authorDomain === null && dmarc.verdict === "temperror") {
    return err({ code: "author_not_checked" });
  }
  const isChecked = domain !== null && authorDomain !== null && domain === comparableDomain(authorDomain);
  return isChecked ? ok() : err({ code: "from_invalid" });
};

/** Whether this is the only author of the message. */
const isFrom = (fields: readonly HeaderField[], email: EmailAddress): boolean =>
  HeaderFields.values(fields, "from")
    .flatMap(authorsIn)
    .map(addressOf)
    .every((author) => author !== null && EmailAddress.mailbox(author) === EmailAddress.mailbox(email));

/**
 * The fields of a message that may be forwarded. A message addressed only to the operator is not refused because of a
 * loop mark, since it goes to no alias and cannot come back; nor because of its `From`, which no rule looks at.
 */
export const admitMessage = (
  {
    header,
    authentication,
    alignment,
    toAlias,
    toContact,
    answerFrom,
  }: {
    readonly header: string;
    readonly authentication: CheckedAuthors;
    readonly alignment: Pick<Alignment, "complete">;
    /** Whether an alias is among its recipients. */
    readonly toAlias: boolean;
    /** Whether a contact of an alias is among them. */
    readonly toContact: boolean;
    /**
     * Whose answer it is, if it is nothing else; null otherwise. Autoresponders send theirs without an envelope sender and often unsigned,
     * so that DMARC fails. But only the contact, and the servers that handled its mail, know the address of the copy.
     */
    readonly answerFrom: EmailAddress | null;
  },
  { mark, dmarc }: { readonly mark: string; readonly dmarc: DmarcMode },
): Result<readonly HeaderField[], MessageRefusal> => {
  if (isHeaderTooLarge(header)) return err({ code: "header_too_large" });
  const fields = HeaderFields.split(header);
  if (hops(fields) > MAX_HOPS) return err({ code: "too_many_hops" });
  if (toAlias && isInLoop(fields, mark)) return err({ code: "mail_loop" });
  const authors = toAlias || toContact ? admitAuthors(fields, authentication) : ok();
  if (authors.isErr()) return err(authors.error);
  const { verdict, policy } = authentication.dmarc;
  const isKnown = answerFrom !== null && isFrom(fields, answerFrom);
  const isRejected = !isKnown && policy === "reject" && (verdict === "fail" || verdict === "temperror");
  if (dmarc === "reject" && isRejected) {
    return err({ code: alignment.complete ? "sender_not_authentic" : "author_not_checked" });
  }
  return ok(fields);
};
