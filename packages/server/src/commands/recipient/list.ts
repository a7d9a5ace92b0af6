import { err, ok, type RecipientId } from "@postern/core";
import { type PageRequest, walkPages } from "@postern/core/store";
import { accountArgument } from "../account/account-argument.ts";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printEach } from "../print-each.ts";
import { withStore } from "../with-store.ts";
import { showRecipient } from "./show-recipient.ts";

export const listRecipients: Command["run"] = async (configuration, args, flags) => {
  const account = accountArgument(args);
  if (account.isErr()) return err(account.error);
  return withStore(configuration, "alongside", async ({ recipients }) => {
    const list = (page: PageRequest<RecipientId>) => recipients.list(account.value, page);
    return (await printEach(walkPages(list), showRecipient(flags))).andThen(({ count, failure }) =>
      failure === null
        ? ok(`Recipients listed: ${count}.`)
        : err(storeFailed(failure, `the list is incomplete. Recipients listed: ${count}`)),
    );
  });
};
