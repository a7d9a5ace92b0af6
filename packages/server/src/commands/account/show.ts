import {
  type AccountId,
  type AliasId,
  type BlockedSenderId,
  err,
  ok,
  type RecipientId,
  type Result,
  type Store,
  type Unavailable,
} from "@postern/core";
import { type PageRequest, walkPages } from "@postern/core/store";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printLines } from "../print-lines.ts";
import { printable } from "../printable.ts";
import { timeOf } from "../time-of.ts";
import { withStore } from "../with-store.ts";
import { accountArgument } from "./account-argument.ts";

type Summary = {
  readonly account: AccountId;
  readonly suspendedAt: number | null;
  readonly aliases: { active: number; inactive: number; deleted: number };
  readonly recipients: { active: number; inactive: number; unverified: number };
  readonly blockedSenders: number;
  readonly webhooks: number;
  readonly apiKeys: number;
};

export const showAccount: Command["run"] = async (configuration, args, flags) => {
  const account = accountArgument(args);
  if (account.isErr()) return err(account.error);
  return withStore(configuration, "alongside", async (store) => {
    const found = await summaryOf(store, account.value);
    if (found.isErr()) return err(storeFailed(found.error, "try again"));
    if (isEmpty(found.value)) return err(NOTHING_STORED);
    const lines = flags.has("json") ? [JSON.stringify(found.value)] : linesOf(found.value);
    return (await printLines(lines)).map(() => "This is the current state.").mapErr((reason) => `${reason}.`);
  });
};

const NOTHING_STORED = "Nothing is stored for this account: check its id.";

const isEmpty = ({ suspendedAt, aliases, recipients, blockedSenders, webhooks, apiKeys }: Summary): boolean =>
  suspendedAt === null &&
  blockedSenders === 0 &&
  webhooks === 0 &&
  apiKeys === 0 &&
  [aliases, recipients].every((counts) => Object.values(counts).every((n) => n === 0));

/** Counts, without addresses: those concern nobody but the account. */
const summaryOf = async (store: Store, account: AccountId): Promise<Result<Summary, Unavailable>> => {
  const suspendedAt = await store.suspensions.find(account);
  if (suspendedAt.isErr()) return err(suspendedAt.error);
  const aliases = { active: 0, inactive: 0, deleted: 0 };
  for (const deleted of [false, true]) {
    const list = (page: PageRequest<AliasId>) => store.aliases.list(account, page, { deleted });
    for await (const alias of walkPages(list)) {
      if (alias.isErr()) return err(alias.error);
      if (deleted) aliases.deleted += 1;
      else aliases[alias.value.active ? "active" : "inactive"] += 1;
    }
  }
  const recipients = { active: 0, inactive: 0, unverified: 0 };
  for await (const recipient of walkPages((page: PageRequest<RecipientId>) =>
    store.recipients.list(account, page),
  )) {
    if (recipient.isErr()) return err(recipient.error);
    const { verifiedAt, active } = recipient.value;
    if (verifiedAt === null) recipients.unverified += 1;
    else recipients[active ? "active" : "inactive"] += 1;
  }
  let blockedSenders = 0;
  for await (const blocked of walkPages((page: PageRequest<BlockedSenderId>) =>
    store.blockedSenders.list(account, page),
  )) {
    if (blocked.isErr()) return err(blocked.error);
    blockedSenders += 1;
  }
  const listed = await store.webhooks.list(account);
  if (listed.isErr()) return err(listed.error);
  const found = await store.apiKeys.list(account);
  if (found.isErr()) return err(found.error);
  const [webhooks, apiKeys] = [listed.value.length, found.value.length];
  return ok({
    account,
    suspendedAt: suspendedAt.value,
    aliases,
    recipients,
    blockedSenders,
    webhooks,
    apiKeys,
  });
};

const linesOf = ({
  account,
  suspendedAt,
  aliases,
  recipients,
  blockedSenders,
  webhooks,
  apiKeys,
}: Summary): readonly string[] => [
  `account: ${printable(account)}`,
  `suspended: ${suspendedAt === null ? "no" : `since ${timeOf(suspendedAt)}`}`,
  `aliases: ${aliases.active} active, ${aliases.inactive} inactive, ${aliases.deleted} deleted`,
  `recipients: ${recipients.active} active, ${recipients.inactive} inactive, ${recipients.unverified} unverified`,
  `blocked senders: ${blockedSenders}`,
  `webhooks: ${webhooks}`,
  `API keys: ${apiKeys}`,
];
