import { EmailAddress, isNonEmpty, type PortResult } from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { AliasAddress, CopyPurpose } from "../copy/purpose.ts";
import { authorOfMessage } from "../message/correspondents.ts";
import { isInLogOf } from "../outcomes/log-entry.ts";
import type { DueCopy } from "../spool.ts";
import { copiesAfterReplacement } from "./copies-to-resend.ts";
import type { FoundAlias } from "./look-up-alias.ts";

/** What to do with a copy that was queued for an alias, or written from it: `suspended` waits until the account is no longer suspended. */
export type AliasNow = "send" | "suspended" | "unwanted";

/** The purpose of a copy for or from an alias, or of a notice to one of its recipients. */
export type AliasPurpose = CopyPurpose & { readonly alias: AliasAddress };

/**
 * Whether a queued copy is still sent, given what its alias is now. A recipient that was replaced is sent nothing more: the message is
 * queued for the recipients that the alias forwards to instead. A notice to a recipient that was replaced is sent to nobody. Nothing is
 * sent for an alias that was deleted or erased. A message written from the alias is sent even if its author is no longer a recipient.
 */
export const aliasNow =
  ({ spool, secrets }: MailContext) =>
  async (
    { copy, message }: DueCopy,
    purpose: AliasPurpose,
    alias: FoundAlias,
    now: number,
  ): PortResult<AliasNow> => {
    if (alias === "suspended") return ok("suspended");
    if (alias === null) return ok("unwanted");
    if (purpose.kind === "reply") return ok("send");
    // By its address: the owner may have removed a mailbox, and added it again.
    const key = EmailAddress.key(copy.to);
    if (alias.destinations.some(({ email }) => EmailAddress.key(email) === key)) return ok("send");
    if (purpose.kind === "notice") return ok("unwanted");

    const all = await spool.findAll(copy.message);
    if (all.isErr()) return err(all.error);
    const copies = all.value.filter((other) => isInLogOf(other, purpose.alias));
    if (!isNonEmpty(copies)) return ok("unwanted");
    const author = authorOfMessage(message);
    const lacking = copiesAfterReplacement(copies, alias, { author, hash: secrets.hash, now });
    const queued = isNonEmpty(lacking) ? await spool.resend(copy.message, lacking, now) : ok();
    return queued.map(() => "unwanted");
  };
