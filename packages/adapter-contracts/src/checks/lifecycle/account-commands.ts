import { valueOf } from "@postern/core/testing";
import { expectEqual } from "../../expect.ts";
import { type Command, command } from "./command.ts";
import { accountOf, eraseFrom } from "./model.ts";

const MAX_ERASURES = 100;

export const eraseAccount = (owner: number): Command =>
  command(`erase account ${owner}`, async (model, { service }) => {
    const account = accountOf(model, owner);
    const aliases = model.aliases.filter((alias) => alias.account === account);
    const recipients = model.recipients.filter((recipient) => recipient.account === account);
    const total = { aliases: 0, recipients: 0, done: false };
    for (let calls = 0; !total.done && calls < MAX_ERASURES; calls += 1) {
      const erased = valueOf(await service.eraseAccount({ account }));
      total.aliases += erased.aliases;
      total.recipients += erased.recipients;
      total.done = erased.done;
    }
    expectEqual(total, { aliases: aliases.length, recipients: recipients.length, done: true });
    for (const alias of aliases) eraseFrom(model, alias);
    for (const recipient of recipients) model.recipients.splice(model.recipients.indexOf(recipient), 1);
  });
