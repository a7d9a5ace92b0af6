import {
  ACCEPT_FROM,
  type Alias,
  type ApiKey,
  BLOCKINGS,
  type BlockedSender,
  CLIENT_KINDS,
  type Contact,
  EVENT_TYPES,
  MAIL_OUTCOMES,
  OFF_REASONS,
  parseBlockedSenderId,
  parseContactId,
  parseSender,
  SCOPES,
  VERIFICATION_DELIVERIES,
  type Webhook,
} from "@postern/core";
import { parseApiKey, parseLedgerKey, parseWebhook, type Tallies, type Tally } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import {
  accountId,
  aliasId,
  emailAddress,
  recipientId,
  recipientIds,
} from "@postern/core/testing/arbitraries";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ArchivedLedgerEntry,
  type ArchivedRecipient,
  type ArchivedSuspension,
  type ArchiveRecord,
  readRecord,
  writeRecord,
} from "../src/index.ts";
import { alias, apiKey, recipient, webhook } from "./support/samples.ts";

const time = fc.nat();
const version = fc.integer({ min: 1 });
// Not of `unit: "binary"`, for which fast-check lists all of Unicode first: that takes a second.
const text = fc
  .string({ unit: fc.nat(0x10_ff_ff).map((codePoint) => String.fromCodePoint(codePoint)) })
  .map((characters) => characters.toWellFormed());

/*
 * Thanks to `Required`, these do not compile when any field, even an optional one, is added to the type. So no field
 * can be omitted from archives by mistake.
 */

const anyRecipient = fc.record<Required<ArchivedRecipient>>({
  id: recipientId(),
  account: accountId(),
  email: emailAddress(),
  verifiedAt: fc.option(time),
  active: fc.boolean(),
  defaultSince: fc.option(time),
  nonce: text,
  verificationSentAt: fc.option(time),
  verificationDelivery: fc.option(fc.constantFrom(...VERIFICATION_DELIVERIES)),
  createdAt: time,
  updatedAt: time,
  version,
});

const anyTally = fc.record<Required<Tally>>({ count: fc.nat(), lastAt: fc.option(time) });
const anyTallies = fc.record<Tallies>({
  sent: anyTally,
  delivered: anyTally,
  bounced: anyTally,
  complaint: anyTally,
  replied: anyTally,
  blocked: anyTally,
});
const anyDestination = fc.record<Required<Alias["destinations"][number]>>({
  recipientId: recipientId(),
  email: emailAddress(),
});

const anyAlias = fc.record<Required<Alias>>({
  id: aliasId(),
  account: accountId(),
  email: emailAddress(),
  description: text,
  website: text,
  active: fc.boolean(),
  rules: fc.record({
    acceptFrom: fc.constantFrom(...ACCEPT_FROM),
    senders: fc.array(
      emailAddress().map((text) => valueOf(parseSender(text))),
      { maxLength: 100 },
    ),
    activeUntil: fc.option(time),
    messagesLeft: fc.option(fc.nat(1_000_000)),
  }),
  destinations: fc
    .tuple(anyDestination, fc.array(anyDestination))
    .map(([first, others]) => [first, ...others]),
  tallies: anyTallies,
  createdAt: time,
  updatedAt: time,
  deletedAt: fc.option(time),
  version,
});

const anyContact = fc
  .record<Required<Contact>>({
    id: fc.stringMatching(/^[a-z2-7]{26}$/).map((id) => valueOf(parseContactId(id))),
    account: accountId(),
    alias: aliasId(),
    email: emailAddress(),
    blocking: fc.constantFrom(...BLOCKINGS),
    createdAt: time,
    onlyNamed: fc.boolean(),
    addedAt: fc.option(time),
    lastReceivedAt: fc.option(time),
    lastSentAt: fc.option(time),
    version,
  })
  .filter(({ addedAt, lastReceivedAt, lastSentAt }) => (addedAt ?? lastReceivedAt ?? lastSentAt) !== null);

const anyBlockedSender = fc.record<Required<BlockedSender>>({
  id: fc.stringMatching(/^[a-z2-7]{26}$/).map((id) => valueOf(parseBlockedSenderId(id))),
  account: accountId(),
  sender: fc
    .oneof(emailAddress(), fc.constantFrom("spam.example", "mail.spam.example"))
    .map((sender) => valueOf(parseSender(sender))),
  createdAt: time,
});

const anyWebhook = fc
  .record<Record<keyof Webhook, unknown>>({
    id: fc.stringMatching(/^[a-z2-7]{26}$/),
    account: accountId(),
    url: fc.webUrl({ validSchemes: ["https"], withQueryParameters: true }),
    events: fc.subarray([...EVENT_TYPES], { minLength: 1 }),
    secret: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((key) => `whsec_${Buffer.from(key).toString("base64")}`),
    off: fc.option(fc.constantFrom(...OFF_REASONS)),
    createdAt: time,
    updatedAt: time,
    version,
  })
  .map((fields) => valueOf(parseWebhook(fields)));

const anyApiKey = fc
  .record<Record<keyof ApiKey, unknown>>({
    id: fc.stringMatching(/^[a-z2-7]{26}$/),
    account: accountId(),
    hash: fc.stringMatching(/^[\w-]{16,128}$/),
    name: text,
    scopes: fc.subarray([...SCOPES], { minLength: 1 }),
    aliasDomain: fc.option(fc.constantFrom("alias.example", "second.example")),
    recipientIds: fc.option(recipientIds(5)),
    expiresAt: fc.option(time),
    createdAt: time,
    lastUse: fc.option(fc.record({ at: time, by: fc.constantFrom(...CLIENT_KINDS) })),
  })
  .map((fields) => valueOf(parseApiKey(fields)));

const anyLedgerEntry = fc.record<Required<ArchivedLedgerEntry>>({
  key: fc.stringMatching(/^[\w-]{16,128}$/).map((key) => valueOf(parseLedgerKey(key))),
  chargedAt: fc.array(time),
  suppressedAt: fc.option(time),
  expiresAt: fc.option(time),
});

const anySuspension = fc.record<Required<ArchivedSuspension>>({ account: accountId(), suspendedAt: time });

const anyRecord: fc.Arbitrary<ArchiveRecord> = fc.oneof(
  anySuspension.map((suspension) => ({ kind: "suspension", suspension }) as const),
  anyRecipient.map((recipient) => ({ kind: "recipient", recipient }) as const),
  anyAlias.map((alias) => ({ kind: "alias", alias }) as const),
  anyContact.map((contact) => ({ kind: "contact", contact }) as const),
  anyBlockedSender.map((blockedSender) => ({ kind: "blocked_sender", blockedSender }) as const),
  anyWebhook.map((webhook) => ({ kind: "webhook", webhook }) as const),
  anyApiKey.map((apiKey) => ({ kind: "api_key", apiKey }) as const),
  emailAddress().map((email) => ({ kind: "retired_address", email }) as const),
  anyLedgerEntry.map((entry) => ({ kind: "mail_ledger_entry", entry }) as const),
);

/** The same value with the fields of every object in reverse order. */
const reversed = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reversed(field)]),
  );
};

test("every field of a record survives being written and read, on one line", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const line = writeRecord(record);
      expect(line).not.toMatch(/[\r\n]/);
      expect(valueOf(readRecord(line))).toEqual(record);
    }),
  );
});

test("the line does not depend on the order of the fields", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      expect(writeRecord(reversed(record) as ArchiveRecord)).toBe(writeRecord(record));
    }),
  );
});

/** Every way to add the field `more` to one object within `value`. */
const withOneMore = (value: object): readonly object[] => [
  ...(Array.isArray(value) ? [] : [{ ...value, more: "secret" }]),
  ...Object.entries(value).flatMap(([name, field]) =>
    typeof field !== "object" || field === null
      ? []
      : withOneMore(field).map((changed) =>
          Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed },
        ),
  ),
];

test("rejects a line with an unknown field, wherever it is", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      for (const line of withOneMore(JSON.parse(writeRecord(record)))) {
        const failure = failureOf(readRecord(JSON.stringify(line)));
        expect(failure).toMatchObject({ code: "invalid_request", issues: [{}] });
        expect(JSON.stringify(failure)).toContain("more");
        expect(JSON.stringify(failure)).not.toContain("secret");
      }
    }),
  );
});

test("rejects a line that lacks a field", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const fields = Object.entries<unknown>(JSON.parse(writeRecord(record)));
      for (const [name] of fields) {
        // Archives of earlier versions lack them.
        if (["verificationDelivery", "defaultSince", "rules", "website", "onlyNamed"].includes(name))
          continue;
        const others = fields.filter(([other]) => other !== name);
        const { issues } = failureOf(readRecord(JSON.stringify(Object.fromEntries(others))));
        expect(issues[0]?.path).toEqual([name]);
      }
    }),
  );
});

const lines = {
  alias: writeRecord({ kind: "alias", alias }),
  recipient: writeRecord({ kind: "recipient", recipient }),
  webhook: writeRecord({ kind: "webhook", webhook }),
  apiKey: writeRecord({ kind: "api_key", apiKey }),
};
const changed = (line: string, change: object) => JSON.stringify({ ...JSON.parse(line), ...change });

test.each([
  ["that is not JSON", "{", []],
  ["that is not an object", "null", []],
  ["that is a list", "[]", ["postern"]],
  ["of an unknown kind", JSON.stringify({ postern: 2, kind: "account" }), ["kind"]],
  ["of a later format", changed(lines.alias, { postern: 3 }), ["postern"]],
  ["with an alias without recipients", changed(lines.alias, { destinations: [] }), ["destinations"]],
  ["with the count of a recipient's aliases", changed(lines.recipient, { attached: 1 }), ["attached"]],
  ["with the field __proto__", lines.recipient.replace("{", '{"__proto__":{},'), ["__proto__"]],
  ["with a field of the old format", changed(lines.recipient, { mailedAt: [1] }), ["mailedAt"]],
  ["with a bad address", changed(lines.recipient, { email: "me" }), ["email"]],
  ["with a webhook on plain HTTP", changed(lines.webhook, { url: "http://example.org/" }), ["url"]],
  ["with a webhook on an address", changed(lines.webhook, { url: "https://127.0.0.1/" }), ["url"]],
  ["with a webhook of unknown events", changed(lines.webhook, { events: ["alias.sold"] }), ["events"]],
  ["with a webhook that has no events", changed(lines.webhook, { events: [] }), ["events"]],
  ["with an event twice", changed(lines.webhook, { events: ["alias.created", "alias.created"] }), ["events"]],
  ["with a secret that is too short", changed(lines.webhook, { secret: "whsec_example.org" }), ["secret"]],
  ["with a webhook that is off for no known reason", changed(lines.webhook, { off: "broken" }), ["off"]],
  ["with an API key without scopes", changed(lines.apiKey, { scopes: [] }), ["scopes"]],
  ["with an API key of an unknown scope", changed(lines.apiKey, { scopes: ["example.org"] }), ["scopes"]],
  ["with a scope twice", changed(lines.apiKey, { scopes: ["aliases:read", "aliases:read"] }), ["scopes"]],
  ["with an API key whose hash is too short", changed(lines.apiKey, { hash: "example.org" }), ["hash"]],
  ["with an API key that has no recipients", changed(lines.apiKey, { recipientIds: [] }), ["recipientIds"]],
  [
    "with an API key that expires after the year 9999",
    changed(lines.apiKey, { expiresAt: 9e15 }),
    ["expiresAt"],
  ],
  ["with an API key used by nobody", changed(lines.apiKey, { lastUse: { at: 1 } }), ["lastUse"]],
  [
    "with a bad retired address",
    JSON.stringify({ postern: 2, kind: "retired_address", email: "example.org" }),
    ["email"],
  ],
])("rejects a line %s, without repeating its values", (_, line, path) => {
  const error = failureOf(readRecord(line));
  expect(error).toMatchObject({ code: "invalid_request" });
  expect(error.issues[0]?.path.slice(0, 1)).toEqual(path);
  expect(JSON.stringify(error)).not.toContain("example.org");
});

test("reads lines of format 1, whose recipients list the times of their messages", () => {
  const tallies = Object.fromEntries(MAIL_OUTCOMES.map((outcome) => [outcome, { count: 0, lastAt: null }]));
  const old = [
    '{"postern":1,"kind":"recipient","id":"r","account":"account","email":"me@example.org","verifiedAt":2,' +
      '"active":true,"nonce":"n","mailedAt":[1],"createdAt":1,"updatedAt":2,"version":2}',
    '{"postern":1,"kind":"alias","id":"a","account":"account","email":"x@alias.example","description":"",' +
      '"active":true,"destinations":[{"recipientId":"r","email":"me@example.org"}],' +
      `"tallies":${JSON.stringify(tallies)},"createdAt":3,"updatedAt":3,"deletedAt":null,"version":1}`,
  ];
  const { attached: _, ...archived } = recipient;
  const read = old.map((line) => valueOf(readRecord(line)));
  expect(read).toEqual([
    { kind: "recipient", recipient: { ...archived, verificationSentAt: 1 } },
    { kind: "alias", alias },
  ]);
});

test("refuses to write a record that could not be read back", () => {
  const broken = { ...alias, version: 0 };
  expect(() => writeRecord({ kind: "alias", alias: broken })).toThrow(
    new TypeError("The record is invalid: version"),
  );
});
