import {
  ACCEPT_FROM,
  type AccountLimits,
  BLOCKINGS,
  EVENT_TYPES,
  MAIL_OUTCOMES,
  SCOPES,
} from "@postern/core";
import * as fc from "fast-check";
import type { Part } from "../../parts.ts";
import { eraseAccount, eraseSuspended, suspendForAWhile } from "./account-commands.ts";
import {
  changeRules,
  create,
  type Expectation,
  erase,
  moveTo,
  remove,
  replace,
  restore,
  update,
} from "./alias-commands.ts";
import { createApiKey, deleteApiKey, type KeySettings, useApiKey } from "./api-key-commands.ts";
import { blockSender, unblockSender } from "./blocked-sender-commands.ts";
import { type Command, wait } from "./command.ts";
import { addContact, block } from "./contact-commands.ts";
import { report, resolve } from "./mail-commands.ts";
import { log } from "./message-commands.ts";
import { add, reassign, removeRecipient, setActive } from "./recipient-commands.ts";
import { resend, suppress, verify } from "./verification-commands.ts";
import { createWebhook, deleteWebhook, updateWebhook } from "./webhook-commands.ts";

/** Most runs start with data, because random calls alone rarely manage to create an alias. */
export const beginning = (has: ReadonlySet<Part>): readonly Command[] => [
  ...[0, 1, 2].flatMap((n) => [add(0, n, false), verify(n, 0)]),
  add(0, 3, true),
  add(1, 0, true),
  add(0, 4, false),
  create(0, 0, [0, 1]),
  create(0, 1, [2]),
  create(1, 2, [4]),
  ...(has.has("webhooks") ? [createWebhook(0, 0, EVENT_TYPES)] : []),
  ...(has.has("apiKeys") ? [createApiKey(0, { scopes: SCOPES }), createApiKey(1, { scopes: SCOPES })] : []),
];

/** None, or low enough to be reached, but not so low that `beginning` exceeds them. */
export const accountLimits: fc.Arbitrary<AccountLimits> = fc.record({
  aliases: fc.constantFrom(0, 2, 2, 3),
  recipients: fc.constantFrom(0, 5, 6),
  unverifiedRecipients: fc.constantFrom(0, 1, 1, 2),
  contacts: fc.constantFrom(0, 1, 2),
  blockedSenders: fc.constantFrom(0, 1, 1),
  // The model logs messages itself.
  loggedMessagesOfAlias: fc.constant(0),
  loggedMessages: fc.constant(0),
  verificationMessages: fc.constantFrom(0, 4, 6),
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

// Mostly the first account's recipients, which are verified initially.
const picks = fc.array(fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(8) }), {
  maxLength: 4,
});
const owner = fc.constantFrom(0, 0, 0, 0, 1);
const foreign = fc.constantFrom(false, false, false, false, true);
const expectation = fc.constantFrom<Expectation>("any", "any", "any", "current", "other");
const settings = fc.record(
  { description: fc.constantFrom("", "shop", "news"), active: fc.boolean() },
  { requiredKeys: [] },
);
const website = fc.constantFrom("", "shop.example");
const rules = fc.record(
  {
    acceptFrom: fc.constantFrom(...ACCEPT_FROM),
    senders: fc.uniqueArray(fc.constantFrom("friend@sender.example", "shop.example", "Shop@news.example")),
    endsAfter: fc.constantFrom(null, 1, HOUR),
    messagesLeft: fc.constantFrom(null, 1, 1_000_000),
  },
  { requiredKeys: [] },
);
// Each list of events in their order, as they are stored.
const events = fc.subarray([...EVENT_TYPES], { minLength: 1 });
const webhook = fc.record({ url: fc.nat(2), events, active: fc.boolean() }, { requiredKeys: [] });
// In their order, as they are stored.
const scopes = fc.subarray([...SCOPES], { minLength: 1 });
const keySettings: fc.Arbitrary<KeySettings> = fc.record(
  { scopes, picks, expiresAfter: fc.constantFrom(1, MINUTE, 24 * HOUR) },
  { requiredKeys: ["scopes"] },
);
const outcome = fc.constantFrom(...MAIL_OUTCOMES);
const address = fc.constantFrom(0, 0, 1, 1, 2, 3, 4);
const mailbox = fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
// Few, and both for aliases and for webhooks, so that many are used repeatedly.
const key = fc.constantFrom(undefined, "a", "b");
const adopted = fc.constantFrom(false, false, true);

/** The commands about each part of a store. */
const COMMANDS_OF_PARTS: Readonly<Record<Part, readonly fc.Arbitrary<Command>[]>> = {
  contacts: [
    fc.tuple(foreign, fc.nat(3), fc.nat(3)).map((args) => addContact(...args)),
    fc.tuple(foreign, fc.nat(3), fc.nat(3)).map((args) => addContact(...args)),
    fc.tuple(fc.nat(3), fc.nat(3), fc.constantFrom(...BLOCKINGS)).map((args) => block(...args)),
    fc.tuple(fc.nat(3), fc.nat(3), fc.constantFrom(...BLOCKINGS)).map((args) => block(...args)),
  ],
  blockedSenders: [
    fc.tuple(owner, fc.nat(4)).map((args) => blockSender(...args)),
    fc.tuple(owner, fc.nat(4)).map((args) => blockSender(...args)),
    fc.tuple(owner, fc.nat(3)).map((args) => unblockSender(...args)),
  ],
  messages: [
    fc.tuple(fc.nat(3), fc.nat(2), fc.integer({ min: 1, max: 3 })).map((args) => log(...args)),
    fc.tuple(fc.nat(3), fc.nat(2), fc.integer({ min: 1, max: 3 })).map((args) => log(...args)),
  ],
  handedReports: [],
  webhooks: [
    fc.tuple(owner, fc.nat(2), events, key).map((args) => createWebhook(...args)),
    // The same request, so that it is often repeated.
    fc.constantFrom("a", "b").map((repeated) => createWebhook(0, 0, EVENT_TYPES, repeated)),
    fc.tuple(owner, fc.nat(3), webhook).map((args) => updateWebhook(...args)),
    fc.tuple(owner, fc.nat(3)).map((args) => deleteWebhook(...args)),
  ],
  apiKeys: [
    fc.tuple(owner, keySettings).map((args) => createApiKey(...args)),
    fc.nat(3).map(useApiKey),
    fc.tuple(owner, fc.nat(3)).map((args) => deleteApiKey(...args)),
  ],
  suspensions: [fc.constantFrom(0, 1, 1, 1, 1, 1, 1, 1).map(eraseSuspended), owner.map(suspendForAWhile)],
  accounts: [],
};

/** A random sequence of operations on a store with these parts. */
export const commands = (has: ReadonlySet<Part>) =>
  fc.commands(
    [
      fc.tuple(owner, mailbox, adopted).map((args) => add(...args)),
      fc.tuple(owner, mailbox, adopted).map((args) => add(...args)),
      fc.tuple(owner, mailbox, adopted).map((args) => add(...args)),
      fc.tuple(fc.nat(5), fc.constantFrom(0, 0, 0, 1)).map((args) => verify(...args)),
      fc.nat(5).map(resend),
      fc.nat(20).map(suppress),
      fc.tuple(fc.nat(5), fc.boolean()).map((args) => setActive(...args)),
      fc.nat(5).map(removeRecipient),
      fc.tuple(fc.nat(3), fc.nat(4)).map((args) => reassign(...args)),
      fc.tuple(owner, fc.nat(6), picks, key).map((args) => create(...args)),
      fc.tuple(owner, fc.nat(6), picks, key).map((args) => create(...args)),
      // The same request, so that it is often repeated.
      fc.constantFrom("a", "b").map((repeated) => create(0, 5, [0], repeated)),
      fc.tuple(foreign, fc.nat(3), picks, expectation).map((args) => replace(...args)),
      fc.tuple(foreign, fc.nat(3), picks, expectation).map((args) => replace(...args)),
      fc.tuple(foreign, fc.nat(3), settings, expectation).map((args) => update(...args)),
      fc.tuple(foreign, fc.nat(3), website, expectation).map((args) => moveTo(...args)),
      fc.tuple(foreign, fc.nat(3), rules, expectation).map((args) => changeRules(...args)),
      fc.tuple(foreign, fc.nat(3), expectation).map((args) => remove(...args)),
      fc
        .tuple(foreign, fc.nat(3), fc.option(picks, { freq: 1 }), expectation)
        .map((args) => restore(...args)),
      fc.tuple(foreign, fc.nat(3)).map((args) => erase(...args)),
      // Mostly the second account, so that the first one keeps its data for the other commands.
      fc.constantFrom(0, 1, 1, 1, 1, 1, 1, 1).map(eraseAccount),
      fc.tuple(address, fc.constantFrom(null, null, "news"), fc.boolean()).map((args) => resolve(...args)),
      fc.tuple(address, fc.constantFrom(null, null, "news"), fc.boolean()).map((args) => resolve(...args)),
      // Few events, so that many are reported twice.
      fc.tuple(fc.nat(3), fc.nat(1), outcome, fc.nat(3), fc.boolean()).map((args) => report(...args)),
      fc.tuple(fc.nat(3), fc.nat(1), outcome, fc.nat(3), fc.boolean()).map((args) => report(...args)),
      fc.tuple(fc.nat(3), fc.nat(1), outcome, fc.nat(3), fc.boolean()).map((args) => report(...args)),
      ...[...has].flatMap((part) => COMMANDS_OF_PARTS[part]),
      fc.constantFrom(1, 1, MINUTE, MINUTE, 5 * HOUR, 24 * HOUR).map(wait),
    ],
    { maxCommands: 50, size: "max" },
  );
