import { type PortResult, parseEventId, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Check, check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import {
  changed,
  changedEntry,
  changedRecipient,
  createAlias,
  createRecipient,
  NOW,
  newAccount,
  newAddress,
  newAlias,
  newEntry,
  newRecipient,
  saveEntry,
  storeAlias,
  storeRecipient,
} from "../samples.ts";

/** Longer than the deadline of any store, in milliseconds. */
const TIMEOUT_MS = 60_000;

type Call = () => PortResult<unknown, { readonly code: string }>;

/** One call of each port: a missing port does not compile. */
type Calls<Ports> = { readonly [Name in keyof Ports]: Call };

/** A call of every port, by the port's name. On an open store all of them succeed, in any order. */
const callsOf = async (store: Store): Promise<ReadonlyMap<string, Call>> => {
  const account = newAccount();
  const recipient = await storeRecipient(store, account);
  const [saved, removed] = [await storeRecipient(store, account), await storeRecipient(store, account)];
  const alias = await storeAlias(store, account, [recipient]);
  const erased = await storeAlias(store, account, [recipient]);
  const entry = await saveEntry(store, newEntry());
  const page = { limit: 10, after: null };
  const event = { id: valueOf(parseEventId("event")), outcome: "sent", at: NOW } as const;
  const aliases: Calls<Store["aliases"]> = {
    findWithRecipients: () => store.aliases.findWithRecipients(account, alias.id, [recipient.id]),
    findByEmail: () => store.aliases.findByEmail(alias.email),
    list: () => store.aliases.list(account, page, { deleted: false }),
    create: () => createAlias(store, newAlias(account, [recipient])),
    save: () => store.aliases.save(alias, changed(alias, { description: "after" })),
    recordOutcome: () => store.aliases.recordOutcome(alias, event),
    erase: () => store.aliases.erase(erased),
    retireAddress: () => store.aliases.retireAddress(newAddress()),
    listRetiredAddresses: () => store.aliases.listRetiredAddresses(page),
  };
  const recipients: Calls<Store["recipients"]> = {
    find: () => store.recipients.find(account, recipient.id),
    findAll: () => store.recipients.findAll(account, [recipient.id]),
    list: () => store.recipients.list(account, page),
    create: () => createRecipient(store, newRecipient(account)),
    save: () => store.recipients.save(saved, changedRecipient(saved, { nonce: "after" })),
    remove: () => store.recipients.remove(removed),
  };
  const mailLedger: Calls<Store["mailLedger"]> = {
    find: () => store.mailLedger.find([entry.key]),
    save: () => store.mailLedger.save([changedEntry(entry, { suppressedAt: NOW })]),
    list: () => store.mailLedger.list(page),
  };
  const suspensions: Calls<Store["suspensions"]> = {
    find: () => store.suspensions.find(account),
    suspend: () => store.suspensions.suspend(account, NOW),
    resume: () => store.suspensions.resume(account),
  };
  const others: Calls<Pick<Store, "accounts" | "ping">> = {
    accounts: () => store.accounts(page),
    ping: () => store.ping(),
  };
  const named = (prefix: string, calls: Record<string, Call>) =>
    Object.entries(calls).map(([name, call]) => [`${prefix}${name}`, call] as const);
  return new Map([
    ...named("aliases.", aliases),
    ...named("recipients.", recipients),
    ...named("mailLedger.", mailLedger),
    ...named("suspensions.", suspensions),
    ...named("", others),
  ]);
};

/** Throws unless the result is ok or `unavailable`, and arrives in time. */
const expectOkOrUnavailable = async (name: string, pending: ReturnType<Call>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const message = `${name} has not settled after ${TIMEOUT_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), TIMEOUT_MS);
  });
  try {
    const result = await Promise.race([pending, timeout]);
    if (result.isErr()) expectEqual({ [name]: result.error.code }, { [name]: "unavailable" });
  } finally {
    clearTimeout(timer);
  }
};

export const failureChecks: readonly Check[] = [
  check("ping succeeds while the store is open", async (store) => {
    valueOf(await store.ping());
  }),

  check("a ping stores nothing that another call returns", async (store) => {
    const [account, first] = [newAccount(), { limit: 100, after: null }];
    await storeRecipient(store, account);
    const everything = async () => ({
      accounts: valueOf(await store.accounts(first)),
      recipients: valueOf(await store.recipients.list(account, first)),
      retired: valueOf(await store.aliases.listRetiredAddresses(first)),
      ledger: valueOf(await store.mailLedger.list(first)),
    });
    const before = await everything();
    await Promise.all(
      [store.ping(), store.ping(), store.ping()].map(async (pinged) => valueOf(await pinged)),
    );
    expectEqual(await everything(), before);
  }),

  check("once the store is closed, every port resolves to ok or unavailable", async (store, close) => {
    const calls = await callsOf(store);
    await close();
    for (const [name, call] of calls) await expectOkOrUnavailable(name, call());
  }),

  check("calls in flight while the store is closed resolve to ok or unavailable", async (store, close) => {
    const pending = [...(await callsOf(store))].map(([name, call]) => ({ name, result: call() }));
    const closing = close();
    await Promise.all(pending.map(({ name, result }) => expectOkOrUnavailable(name, result)));
    await closing;
  }),
];
