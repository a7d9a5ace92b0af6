/* The domain, and the packages that run on the same Node as it does. Nothing listens on port 9 of this machine. */
import { deepStrictEqual } from "node:assert/strict";
import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { memoryStore } from "@postern/adapter-memory";
import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { sesMail } from "@postern/adapter-ses";
import { smtpMail } from "@postern/adapter-smtp";
import { type WebhookSender, webhookSender } from "@postern/adapter-webhooks";
import { type ArchiveRecord, exportRecords, importRecord, readRecord, writeRecord } from "@postern/archive";
import {
  type Alias,
  type FailureOf,
  type Postern,
  parseAliasDomains,
  postern,
  type Result,
  reservedNames,
  type Store,
  throwing,
} from "@postern/core";
import { nodePorts, systemClock } from "@postern/node";

const store: Store = memoryStore();
const mail = smtpMail({
  url: "smtp://127.0.0.1:9",
  from: "postern@example.com",
  publicUrl: "https://postern.example.com",
});
const webhookSending: WebhookSender = webhookSender({
  format: ({ type }) => JSON.stringify({ type }),
  timeoutMs: undefined,
  dns: "127.0.0.1:9",
});
const service: Postern = postern({
  store,
  aliasDomains: ["alias.example"],
  verificationMail: mail,
  webhookSending,
  ...nodePorts({ linkSecrets: ["a secret that is at least 32 bytes long"] }),
});
const account = "tenant-1";

const { recipient: home, verification } = await throwing(service).addRecipient({
  account,
  email: "me@home.example",
});
deepStrictEqual([home.verifiedAt, verification], [null, "not_sent"]);
mail.close();

const ses = sesMail({
  region: "eu-west-1",
  endpoint: "http://127.0.0.1:9",
  credentials: { accessKeyId: "key", secretAccessKey: "secret" },
  from: "postern@example.com",
  publicUrl: "https://postern.example.com",
});
const unsent = await ses.send({ account: home.account, to: home.email, token: "token" });
deepStrictEqual(unsent.isErr() && unsent.error.code, "not_sent");

const work = await throwing(service).adoptRecipient({ account, email: "me@work.example" });
const alias: Alias = await throwing(service).createAlias({ account, recipientIds: [work.id] });
const replaced: Result<Alias, FailureOf<"replaceRecipients">> = await service.replaceRecipients({
  account,
  aliasId: alias.id,
  recipientIds: [home.id],
});
/** Compiles only if these are all failures of the operation. */
const explained = (failure: FailureOf<"replaceRecipients">): string => {
  switch (failure.code) {
    case "recipients_ineligible":
      return failure.recipients.map(({ reason }) => reason).join();
    case "invalid_request":
      return failure.issues.map(({ reason }) => reason).join();
    case "alias_not_found":
    case "alias_deleted":
    case "account_suspended":
    case "precondition_failed":
    case "unavailable":
      return failure.code;
  }
};
deepStrictEqual(replaced.isErr() && explained(replaced.error), "unverified");

const copy = memoryStore();
const aliasDomains = parseAliasDomains(["alias.example"]);
if (aliasDomains.isErr()) throw new Error("The domain is invalid");
const kinds: ArchiveRecord["kind"][] = [];
for await (const exported of exportRecords(store, null)) {
  if (exported.isErr()) throw new Error(exported.error.code);
  const read = readRecord(writeRecord(exported.value));
  if (read.isErr()) throw new Error("What was written cannot be read");
  const imported = await importRecord(copy, read.value, {
    aliasDomains: aliasDomains.value,
    isReserved: reservedNames([]),
    clock: systemClock,
  });
  deepStrictEqual(imported.isOk(), true);
  kinds.push(read.value.kind);
}
// The ledger has an entry for the mailbox and one for the account, without the message that was not sent.
deepStrictEqual(kinds, ["recipient", "recipient", "alias", "mail_ledger_entry", "mail_ledger_entry"]);

const { id: webhookId } = await throwing(service).createWebhook({
  account,
  url: "https://webhooks.example/",
  events: ["alias.created"],
});
const delivery = await throwing(service).testWebhook({ account, webhookId });
deepStrictEqual(delivery, { code: "failed", reason: "its name could not be resolved (ECONNREFUSED)" });
webhookSending.close();

const dynamo = dynamoStore({
  client: dynamoClient({
    endpoint: "http://127.0.0.1:9",
    region: "eu-central-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
  }),
  table: "postern",
  clock: systemClock,
  onCorruptItem: () => {},
});
deepStrictEqual((await dynamo.ping()).isErr(), true);

const url = parsePostgresUrl("postgres://postern@127.0.0.1:9/postern");
if (url.isErr()) throw new Error(url.error.message);
const opened = await postgresStore({ url: url.value, clock: systemClock });
deepStrictEqual(opened.isErr() && opened.error.code, "cannot_open");
