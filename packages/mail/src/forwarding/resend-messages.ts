import { type EmailAddress, isNonEmpty, type PortResult, type Unavailable } from "@postern/core";
import { begin, resolveAlias } from "@postern/core/operations";
import type { Resend } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { Copy } from "../copy/copy.ts";
import { authorOfMessage } from "../message/correspondents.ts";
import { aliasOfLog, isInLogOf } from "../outcomes/log-entry.ts";
import { copiesToResend } from "./copies-to-resend.ts";

/** Enough for one pass to be worth its calls, but few enough that little is repeated after a crash. */
const RESENDS_A_PASS = 100;

/**
 * Sends messages of this spool again whose owners have asked for it (`resendMessage`), up to 100 in one pass. Returns how many are done. A
 * message is not sent if its body has been forgotten, or if its alias no longer accepts mail.
 *
 * A message that cannot be sent does not hold up the others; the pass then fails with `unavailable` at the end: call it again later. A
 * message that was queued but not marked before a crash is not queued again. Calls must not overlap.
 */
export const resendMessages = (context: MailContext) => {
  const { spool, resends, secrets, clock } = context;
  const resolve = resolveAlias(context);
  return async (): PortResult<number> => {
    /** Who the message of the copy is from. */
    const authorOf = async ({ id }: Copy): PortResult<EmailAddress | null> =>
      (await spool.find(id)).map((found) => found && authorOfMessage(found.message));

    /** Queues the copies. */
    const queue = async ({ message, account, alias: id }: Resend): PortResult<void> => {
      const found = await spool.findAll(message);
      if (found.isErr()) return err(found.error);
      const copies = found.value.filter((copy) => isInLogOf(copy, { account, id }));
      const alias = isNonEmpty(copies) ? aliasOfLog(copies[0]) : null;
      if (!isNonEmpty(copies) || alias === null) return ok();
      const author = await authorOf(copies[0]);
      if (author.isErr()) return err(author.error);
      const resolved = await resolve({ address: alias.email });
      if (resolved.isErr()) return resolved.error.code === "unavailable" ? err(resolved.error) : ok();
      const now = clock.now();
      const again = copiesToResend(copies, resolved.value.alias, {
        author: author.value,
        hash: secrets.hash,
        now,
      });
      return isNonEmpty(again) ? (await spool.resend(message, again, now)).map(() => undefined) : ok();
    };

    const requested = await resends.list(spool.id, RESENDS_A_PASS, begin(context)());
    if (requested.isErr()) return err(requested.error);
    let failure: Unavailable | null = null;
    for (const resend of requested.value) {
      const queued = await queue(resend);
      const done = queued.isErr() ? queued : await resends.finish(resend, begin(context)());
      if (done.isErr()) failure = done.error;
    }
    return failure === null ? ok(requested.value.length) : err(failure);
  };
};
