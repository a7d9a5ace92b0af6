import { memoryStore } from "@postern/adapter-memory";
import { err, postern, type Store } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { accountId, recipientId } from "@postern/core/testing/arbitraries";
import { nodePorts } from "@postern/node";
import { accept } from "@postern/test-support/fake-ses";
import { bounce, complaint, delay, delivery, reject } from "@postern/test-support/ses-events";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sesMail } from "../src/index.ts";
import { sesOutcomes } from "../src/outcomes/index.ts";
import { taggedLink, verificationTag } from "../src/verification-tag.ts";
import { settings, startSes } from "./support/use-ses.ts";

/* Verification messages that SES has accepted, and what it reports about them. */

const secretsOf = (linkSecret: string) => nodePorts({ linkSecrets: [linkSecret] }).secrets;
const secrets = secretsOf("0123456789abcdef0123456789abcdef");
const others = secretsOf("another-secret-of-this-test-0123456789abcdef");
const account = "tenant-1";

/** A service, and a recipient that has been sent a link. */
const newRecipient = async () => {
  const ses = await startSes();
  const ports = { ...testPorts(), secrets };
  const store = memoryStore();
  const verificationMail = sesMail({ ...settings, endpoint: ses.endpoint, secrets });
  const service = postern({ store, aliasDomains: ["alias.example"], ...ports, verificationMail });
  const added = valueOf(await service.addRecipient({ account, email: "ada@home.example" }));
  const recipient = { account, recipientId: added.recipient.id };
  return {
    clock: ports.clock,
    answerWith: ses.answerWith,
    resend: async () => {
      ports.clock.advance(60_000);
      expect(valueOf(await service.resendVerification(recipient)).verification).toBe("sent");
    },
    /** The values of the tag of all messages so far. */
    tags: () =>
      ses.messages.map(({ tags }) => tags["postern-verification"] ?? expect.unreachable("it has one")),
    found: async () => {
      const { verificationSentAt, verificationDelivery } = valueOf(await service.getRecipient(recipient));
      return { verificationSentAt, verificationDelivery };
    },
    record: async (recipients: Partial<Store["recipients"]> | null, ...events: readonly object[]) => {
      const { handedReports } = store;
      const all = recipients === null ? {} : { recipients: { ...store.recipients, ...recipients } };
      const read = sesOutcomes({
        ...ports,
        store: { handedReports, ...all },
        aliasDomains: ["alias.example"],
      });
      const batch = events.map((event, n) => ({ messageId: `${n}`, body: JSON.stringify(event) }));
      return (await read(batch)).map(({ result }) => result.match(String, ({ code }) => code));
    },
  };
};

const tagged = (value: string) => ({
  source: "Postern <postern@mail.example>",
  tags: { "postern-verification": [value] },
});

test.each([
  ["a bounce", (value: string) => bounce(tagged(value), "Permanent", "NoEmail"), "bounced", "refused"],
  ["a virus scanner", (value: string) => reject(tagged(value)), "bounced", "refused"],
  ["a delivery", (value: string) => delivery(tagged(value)), "delivered", null],
  ["a complaint", (value: string) => complaint(tagged(value)), "complaint", null],
  ["a delay", (value: string) => delay(tagged(value)), "delayed", null],
])("%s is recorded with the recipient, until it is sent another link", async (_, event, result, expected) => {
  const { clock, resend, tags, found, record } = await newRecipient();
  const verificationSentAt = clock.now();
  const [first = ""] = tags();
  expect(await record({}, event(first), event(first))).toEqual([result, result]);
  expect(await found()).toEqual({ verificationSentAt, verificationDelivery: expected });
  await resend();
  const after = { verificationSentAt: clock.now(), verificationDelivery: null };
  expect(await found()).toEqual(after);
  expect(await record({}, event(first))).toEqual([result]);
  expect(await found()).toEqual(after);
  expect(await record({}, event(tags()[1] ?? ""))).toEqual([result]);
  expect(await found()).toEqual({ ...after, verificationDelivery: expected });
});

test.each([
  ["answer", "delivery", "bounce"],
  ["answer", "bounce", "delivery"],
  ["delivery", "answer", "bounce"],
  ["delivery", "bounce", "answer"],
  ["bounce", "answer", "delivery"],
  ["bounce", "delivery", "answer"],
])("a refusal stays, in whatever order SES answers and reports: %s, %s, %s", async (...order) => {
  const { answerWith, resend, tags, found, record } = await newRecipient();
  const answered = Promise.withResolvers<void>();
  answerWith((response) => void answered.promise.then(() => accept(response)));
  const sending = resend();
  await expect.poll(tags).toHaveLength(2);
  const about = tagged(tags()[1] ?? "");
  for (const step of order) {
    if (step === "answer") {
      answered.resolve();
      await sending;
    } else await record({}, step === "delivery" ? delivery(about) : bounce(about, "Permanent", "NoEmail"));
  }
  expect(await found()).toMatchObject({ verificationDelivery: "refused" });
});

test("what nobody with the secrets has tagged, or nothing can be recorded of, is about nothing", async () => {
  const { tags, found, record } = await newRecipient();
  const before = await found();
  const [value = ""] = tags();
  for (const forged of [`${value}A`, value.slice(0, -1), "", "ada"])
    expect(await record({}, bounce(tagged(forged), "Permanent", "NoEmail"))).toEqual(["unknown_copy"]);
  expect(await record(null, bounce(tagged(value), "Permanent", "NoEmail"))).toEqual(["unknown_copy"]);
  expect(await found()).toEqual(before);
});

test("stays in the queue while the store is down", async () => {
  const { tags, found, record } = await newRecipient();
  const event = bounce(tagged(tags()[0] ?? ""), "Permanent", "NoEmail");
  expect(await record({ save: async () => err({ code: "unavailable" }) }, event)).toEqual(["unavailable"]);
  expect(await record({}, event)).toEqual(["bounced"]);
  expect(await found()).toMatchObject({ verificationDelivery: "refused" });
});

test("a tag names the link, in the characters and the length that SES takes, and only with the secrets", () => {
  fc.assert(
    fc.property(accountId(), recipientId(), (account, recipient) => {
      const nonce = secrets.nonce();
      const expiresAt = 1_700_000_000_000;
      const token = secrets.seal({ account, recipientId: recipient, nonce, mailbox: null, expiresAt });
      const tag = verificationTag(token, secrets);
      expect(verificationTag(token, others)).toBeNull();
      if (tag === null) {
        expect(Buffer.byteLength(JSON.stringify([account, recipient, nonce]))).toBeGreaterThan(170);
        return;
      }
      expect(tag.Value).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
      expect(taggedLink(tag.Value, secrets)).toEqual({ account, recipient, nonce });
      expect(taggedLink(tag.Value, others)).toBeNull();
    }),
  );
});
