import { memoryStore } from "@postern/adapter-memory";
import {
  err,
  parseAliasDomains,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  type Store,
} from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { type ArchiveRecord, exportRecords, importRecord } from "../src/index.ts";
import { alias, recipient } from "./support/samples.ts";

const recordsOf = async (store: Store): Promise<readonly ArchiveRecord[]> => {
  const records: ArchiveRecord[] = [];
  for await (const record of exportRecords(store, null)) records.push(valueOf(record));
  return records;
};

const rules = { aliasDomains: valueOf(parseAliasDomains(["alias.example"])), clock: Date };

const retired = valueOf(parseEmailAddress("erased@alias.example"));

test("reports why a record cannot be stored, and changes nothing", async () => {
  const store = memoryStore();
  const early = await importRecord(store, { kind: "alias", alias }, rules);
  expect(failureOf(early)).toEqual({ code: "recipients_ineligible" });
  for (const record of [
    { kind: "recipient", recipient },
    { kind: "alias", alias },
    { kind: "retired_address", email: retired },
  ] as const) {
    expect(valueOf(await importRecord(store, record, rules))).toBe("stored");
  }
  const before = await recordsOf(store);
  expect(before).toHaveLength(3);

  const refused = [
    [{ kind: "recipient", recipient: { ...recipient, nonce: "other" } }, "differs"],
    [{ kind: "recipient", recipient: { ...recipient, id: valueOf(parseRecipientId("s")) } }, "address_taken"],
    [{ kind: "alias", alias: { ...alias, description: "other" } }, "differs"],
    [{ kind: "alias", alias: { ...alias, id: valueOf(parseAliasId("b")) } }, "address_taken"],
    [{ kind: "alias", alias: { ...alias, id: valueOf(parseAliasId("b")), email: retired } }, "address_taken"],
    [{ kind: "retired_address", email: alias.email }, "address_taken"],
  ] as const;
  for (const [record, code] of refused) {
    expect(failureOf(await importRecord(store, record, rules))).toEqual({ code });
  }
  expect(await recordsOf(store)).toEqual(before);
});

test("reports an unavailable store", async () => {
  const { aliases, recipients, ...rest } = memoryStore();
  const unavailable = async () => err({ code: "unavailable" } as const);
  const refusing: Store = {
    ...rest,
    aliases: { ...aliases, create: unavailable, retireAddress: unavailable },
    recipients: { ...recipients, create: unavailable },
  };
  const down: Store = { ...refusing, recipients: { ...refusing.recipients, findAll: unavailable } };
  valueOf(await recipients.create(recipient));
  for (const store of [refusing, down]) {
    for (const record of [
      { kind: "recipient", recipient },
      { kind: "alias", alias },
      { kind: "retired_address", email: retired },
    ] as const) {
      expect(failureOf(await importRecord(store, record, rules))).toEqual({ code: "unavailable" });
    }
  }
});
