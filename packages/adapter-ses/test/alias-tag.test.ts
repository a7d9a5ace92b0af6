import { memoryStore } from "@postern/adapter-memory";
import { err, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { nodePorts } from "@postern/node";
import { bounce, complaint, delivery, send } from "@postern/test-support/ses-events";
import fc from "fast-check";
import { expect, test } from "vitest";
import { taggedAlias } from "../src/outcomes/alias-tag.ts";
import type { CountForAliasPorts } from "../src/outcomes/count-for-alias.ts";
import { ALIAS_TAG, aliasTag, sesOutcomes } from "../src/outcomes/index.ts";

/* Mail that an embedder's own program sends through SES, tagged with the alias. */

const { secrets } = nodePorts({ linkSecrets: ["0123456789abcdef0123456789abcdef"] });

const SOURCE = "Shop <forwarder@alias.example>";

/** Two accounts, each with an alias. */
const newService = async () => {
  const ports = { ...testPorts(), secrets };
  const store = memoryStore();
  const service = postern({ store, aliasDomains: ["alias.example"], ...ports });
  const aliasOf = async (account: string) => {
    const { id } = valueOf(await service.adoptRecipient({ account, email: `${account}@home.example` }));
    const email = `${account}@alias.example`;
    const alias = valueOf(await service.createAlias({ account, email, recipientIds: [id] }));
    return {
      tag: aliasTag({ account, id: alias.id }, ports.secrets) ?? expect.unreachable(),
      counts: async () => {
        const { tallies } = valueOf(await service.getAlias({ account, aliasId: alias.id }));
        const { sent, delivered, bounced, complaint } = tallies;
        return [sent, delivered, bounced, complaint].map(({ count }) => count);
      },
    };
  };
  const record = (recordMailOutcome?: CountForAliasPorts["recordMailOutcome"]) => {
    const all = sesOutcomes({ store, ...ports, aliasDomains: ["alias.example"], recordMailOutcome });
    return async (...events: readonly object[]) => {
      const batch = events.map((event, n) => ({ messageId: `${n}`, body: JSON.stringify(event) }));
      return (await all(batch)).map(({ result }) => result.match(String, ({ code }) => code));
    };
  };
  return { service, record, ada: await aliasOf("ada"), eve: await aliasOf("eve") };
};

const tagged = (Value: string, changed: object = {}) => ({
  source: SOURCE,
  tags: { [ALIAS_TAG]: [Value] },
  ...changed,
});

test("what SES reports about a message with the tag of an alias counts for it once, for each recipient", async () => {
  const { service, record, ada, eve } = await newService();
  const to = ["a@home.example", "b@home.example"];
  const both = tagged(ada.tag.Value, { to });
  const other = tagged(ada.tag.Value, { to: to.slice(0, 1), messageId: "another" });
  const events = [
    send(both),
    delivery(both),
    delivery(other),
    bounce(both, "Permanent", "General"),
    bounce(both, "Transient", "General"),
    complaint(other),
  ];
  const handle = record(service.recordMailOutcome);
  for (const event of [...events, ...events.toReversed()]) await handle(event);
  expect(await handle(delivery({ ...both, to: ["B@home.example"] }), complaint(other))).toEqual([
    "duplicate",
    "duplicate",
  ]);
  expect(await ada.counts()).toEqual([0, 3, 2, 1]);
  expect(await eve.counts()).toEqual([0, 0, 0, 0]);
});

test("a tag that nobody with the secrets has made counts for nothing, nor does any without recordMailOutcome", async () => {
  const { service, record, ada, eve } = await newService();
  const { Value } = ada.tag;
  const forged = [Value.slice(0, -1), `${Value}A`, eve.tag.Value.slice(0, 22) + Value.slice(22), "", "ada"];
  const events = forged.map((value) => delivery(tagged(value)));
  expect(new Set(await record(service.recordMailOutcome)(...events))).toEqual(new Set(["unknown_copy"]));
  expect(await record()(delivery(tagged(Value)))).toEqual(["unknown_copy"]);
  expect([await ada.counts(), await eve.counts()]).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]);
});

test("stays in the queue while the store is down, and not if the alias is gone", async () => {
  const { record, ada } = await newService();
  for (const [code, result] of [
    ["unavailable", "unavailable"],
    ["alias_not_found", "unknown_copy"],
  ] as const) {
    expect(await record(async () => err({ code }))(delivery(tagged(ada.tag.Value)))).toEqual([result]);
  }
});

test("a tag names its alias whatever the ids are, in the characters and the length that SES takes", () => {
  const ids = fc.string({ unit: "grapheme", minLength: 1, maxLength: 128 });
  fc.assert(
    fc.property(ids, ids, (account, id) => {
      const tag = aliasTag({ account, id }, secrets);
      if (tag === null) {
        expect(Buffer.byteLength(JSON.stringify([account, id]))).toBeGreaterThan(170);
        return;
      }
      expect(tag.Value).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
      expect(taggedAlias(tag.Value, secrets)).toEqual({ account, id });
    }),
  );
});
