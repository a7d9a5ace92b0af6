import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import {
  eventSending,
  LoggedMessage,
  NO_LIMITS,
  ok,
  parseAccountId,
  parseCopyId,
  parseEmailAddress,
  parseSpoolMark,
  postern,
  type Store,
  throwing,
  type WebhookSending,
} from "@postern/core";
import { testBody, testMessage, testPorts, valueOf } from "@postern/core/testing";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { documentedRights } from "./support/documented-rights.ts";
import { requestDynamoDb } from "./support/dynamodb-request.ts";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startMailbox } from "./support/mailbox.ts";
import { startPermissionProxy } from "./support/permission-proxy.ts";
import { runHere } from "./support/run-here.ts";
import { startServerProcess } from "./support/server-process.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** The machine may be busy with other tests. */
const TIMEOUT_MS = 30_000;

/** No turn of a webhook lasts longer. */
const TURN_MS = 600_000;

let dynamoDb: DynamoDb;
beforeAll(async () => {
  dynamoDb = await sharedDynamoDb();
});

/** A table that allows only these actions. */
const start = async (allowed: readonly string[], table?: string) => {
  const proxy = await startPermissionProxy(dynamoDb.endpoint, allowed);
  onTestFinished(proxy.stop);
  const variables = {
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: proxy.endpoint,
    POSTERN_DYNAMODB_TABLE: table ?? (await dynamoDb.newTable()),
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
  return { proxy, variables };
};

const Operations = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Every operation of the API, such as `GET /aliases`. */
const operations = Object.entries(Operations.parse(JSON.parse(read("docs/openapi.json"))).paths).flatMap(
  ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

/**
 * Calls every operation of a server on this table. Each call succeeds, unless it asks for a second message at once, or is about one
 * that never arrived.
 */
const callEveryOperation = async (variables: Record<string, string>) => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const mailbox = await startMailbox();
  onTestFinished(mailbox.stop);
  const server = await startServerProcess({
    ...environment,
    ...variables,
    POSTERN_ISSUER: provider.issuer,
    // Nothing answers there, so no webhook is told anything.
    POSTERN_DNS: "127.0.0.1:1",
    POSTERN_KEYS_PORT: "0",
    POSTERN_KEYS_URL: "https://keys.postern.test",
    POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
  });
  onTestFinished(async () => void (await server.stop()));
  const called = new Set<string>();
  const call = async (operation: string, ids: Record<string, string> = {}, body?: unknown, query = "") => {
    called.add(operation);
    const [method = "", template = ""] = operation.split(" ");
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? expect.unreachable(name));
    const send = () =>
      fetch(server.url + path + query, {
        method,
        headers: { authorization: `Bearer ${provider.token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let response = await send();
    // DynamoDB Local can be too slow on a busy machine.
    for (let n = 0; n < 5 && response.status === 503; n += 1) response = await send();
    const received = await response.text();
    expect([operation, response.status, received]).toEqual([
      operation,
      expect.toSatisfy((status) => status < 300 || status === 429 || (status === 404 && "message_id" in ids)),
      received,
    ]);
    return z.looseObject({}).parse(received === "" ? {} : JSON.parse(received));
  };
  const newRecipient = async (recipient_email: string) => {
    const { recipient_id } = await call("POST /recipients", {}, { recipient_email });
    const link = new URL(/^http:\S+$/m.exec(mailbox.messages.at(-1)?.text ?? "")?.[0] ?? "");
    await call("GET /recipients/verify", {}, undefined, `${link.search}&confirm=true`);
    return { recipient_id: String(recipient_id) };
  };

  await call("GET /health");
  await call("GET /service");
  const wanted = { url: "https://hook.test/", events: ["alias.created"] };
  const { webhook_id } = await call("POST /webhooks", {}, wanted);
  const webhook = { webhook_id: String(webhook_id) };
  await call("GET /webhooks");
  await call("GET /webhooks/{webhook_id}", webhook);
  await call("PATCH /webhooks/{webhook_id}", webhook, { events: ["alias.updated"] });
  await call("POST /webhooks/{webhook_id}/test", webhook);
  const { key_id } = await call("POST /keys", {}, { name: "Program", scopes: ["aliases:create"] });
  await call("GET /keys");
  await call("DELETE /keys/{key_id}", { key_id: String(key_id) });
  const first = await newRecipient("first@mail.test");
  const second = await newRecipient("second@mail.test");
  const { alias_id } = await call("POST /aliases", {}, { recipient_ids: [first.recipient_id] });
  const alias = { alias_id: String(alias_id) };
  await call("PUT /aliases/{alias_id}/recipients", alias, { recipient_ids: [second.recipient_id] });
  await call("GET /aliases");
  await call("GET /aliases/{alias_id}", alias);
  await call("PATCH /aliases/{alias_id}", alias, { description: "changed" });
  await call("GET /aliases/{alias_id}/recipients", alias);
  await call("GET /aliases/{alias_id}/rules", alias);
  await call("PATCH /aliases/{alias_id}/rules", alias, { messages_left: 7 });
  await call("PUT /aliases/{alias_id}/website", alias, { website: "shop.example" });
  await call("GET /aliases/{alias_id}/website", alias);
  const { contact_id } = await call("POST /aliases/{alias_id}/contacts", alias, { email: "shop@other.test" });
  const contact = { ...alias, contact_id: String(contact_id) };
  await call("GET /aliases/{alias_id}/contacts", alias);
  await call("GET /aliases/{alias_id}/contacts/{contact_id}", contact);
  await call("PATCH /aliases/{alias_id}/contacts/{contact_id}", contact, { blocking: "reject" });
  await call("GET /aliases/{alias_id}/messages", alias);
  const message = { ...alias, message_id: "0".repeat(16) + "m".repeat(26) };
  await call("GET /aliases/{alias_id}/messages/{message_id}", message);
  await call("POST /aliases/{alias_id}/messages/{message_id}/resend", message);
  const { blocked_sender_id } = await call("POST /blocked-senders", {}, { sender: "spam.test" });
  await call("GET /blocked-senders");
  await call("DELETE /blocked-senders/{blocked_sender_id}", {
    blocked_sender_id: String(blocked_sender_id),
  });
  await call("DELETE /aliases/{alias_id}", alias);
  await call("POST /aliases/{alias_id}/restore", alias);
  await call("GET /recipients");
  await call("GET /recipients/{recipient_id}", first);
  await call("PATCH /recipients/{recipient_id}", first, { active: false });
  await call("PATCH /recipients/{recipient_id}", first, { active: true });
  await call("POST /recipients/{recipient_id}/reassign", second, first);
  const { recipient_id } = await call("POST /recipients", {}, { recipient_email: "third@mail.test" });
  await call("POST /recipients/{recipient_id}/verification", { recipient_id: String(recipient_id) });
  await call("DELETE /recipients/{recipient_id}", second);
  await call("DELETE /webhooks/{webhook_id}", webhook);
  expect([...called].toSorted()).toEqual(operations.toSorted());
  // It would take the turns of webhooks that others have made in this table.
  await server.stop();
};

/** The methods of a store, such as `aliases.find`, and the store with its calls recorded. */
const recorded = (store: Store) => {
  const methods: string[] = [];
  const called = new Set<string>();
  const record = <T extends object>(part: T, prefix: string): T =>
    Object.assign(
      {},
      part,
      Object.fromEntries(
        Object.entries(part).map(([name, member]) => {
          if (typeof member !== "function") return [name, record(member, `${prefix}${name}.`)];
          methods.push(prefix + name);
          return [
            name,
            (...args: readonly unknown[]) => {
              called.add(prefix + name);
              return member(...args);
            },
          ];
        }),
      ),
    );
  return { store: record(store, ""), methods, called };
};

/** Calls every method of the store on this table, except `accounts`, which is for exports. */
const callEveryMethod = async (endpoint: string, table: string) => {
  const client = dynamoClient({ ...dynamoDb.location, endpoint }, TIMEOUT_MS);
  const opened = dynamoStore({
    client,
    table,
    clock: Date,
    onCorruptItem: () => expect.unreachable("no item is corrupt"),
    timeoutMs: TIMEOUT_MS,
  });
  onTestFinished(opened.close);
  const { close: _, differences: __, estimateItems: ___, ...inner } = opened;
  const { store, methods, called } = recorded(inner);
  const verificationMail = { send: async () => ok() };
  const webhookSending: WebhookSending = { send: async () => ({ code: "delivered" }) };
  const ports = {
    // Items whose times are long past expire at any moment.
    ...testPorts(Date.now()),
    timeoutMs: TIMEOUT_MS,
    store,
    aliasDomains: ["alias.example"],
    verificationMail,
    webhookSending,
    keysUrl: "https://keys.test",
  };
  const service = throwing(postern(ports));

  await service.ping();
  const account = "account";
  await service.addRecipient({ account, email: "unverified@mail.test" });
  const { id } = await service.adoptRecipient({ account, email: "first@mail.test" });
  const { id: second } = await service.adoptRecipient({ account, email: "second@mail.test" });
  const { id: aliasId, email } = await service.createAlias({ account, recipientIds: [id] });
  await service.replaceRecipients({ account, aliasId, recipientIds: [second, id] });
  await service.getAlias({ account, aliasId });
  await service.listAliases({ account, q: "x" });
  await service.listRecipients({ account });
  await service.getRecipient({ account, recipientId: id });
  expect(await service.resolveAlias({ address: email })).toMatchObject({ alias: { destinations: [{}, {}] } });
  const outcome = { outcome: "sent", at: Date.now() } as const;
  await service.recordMailOutcome({ ...outcome, alias: { email }, eventId: "one" });
  await service.recordMailOutcome({ ...outcome, alias: { account, id: aliasId }, eventId: "two" });
  const { id: contactId } = await service.createContact({ account, aliasId, email: "contact@mail.test" });
  await service.getContact({ account, aliasId, contactId });
  await service.listContacts({ account, aliasId });
  await service.listContacts({ account, aliasId, email: "contact@mail.test" });
  await service.updateContact({ account, aliasId, contactId, blocking: "reject" });
  const owner = valueOf(parseAccountId(account));
  const { items } = valueOf(await store.contacts.listOfAccount(owner, { limit: 10, after: null }));
  expect(items).toMatchObject([{ id: contactId, blocking: "reject" }]);
  for (const contact of items) {
    expect((await store.contacts.create(contact)).isErr()).toBe(true);
  }
  valueOf(await store.contacts.find(contactId));
  const keptBody = testBody(Date.now() + 600_000);
  const message = testMessage({ account: owner, id: aliasId }, { at: Date.now(), keptBody });
  valueOf(await store.messageLog.save(message, NO_LIMITS));
  await service.getMessage({ account, aliasId, position: LoggedMessage.position(message) });
  await service.listMessages({ account, aliasId });
  await service.resendMessage({ account, aliasId, position: LoggedMessage.position(message) });
  const [resend] = valueOf(await store.resends.list(keptBody.spool, 1));
  if (resend === undefined) throw new Error("nothing is to be sent again");
  valueOf(await store.resends.finish(resend));
  const handed = {
    spool: valueOf(parseSpoolMark(keptBody.spool.slice(0, 8))),
    copy: valueOf(parseCopyId("c".repeat(26))),
    outcome: "delivered",
    onlyIfToAlias: false,
    reason: null,
    at: Date.now(),
  } as const;
  valueOf(await store.handedReports.handOver(handed));
  expect(valueOf(await store.handedReports.list(handed.spool, 1))).toEqual([handed]);
  valueOf(await store.handedReports.finish(handed));
  const { id: blockedSenderId } = await service.blockSender({ account, sender: "spam.test" });
  await service.listBlockedSenders({ account });
  const meeting = { author: valueOf(parseEmailAddress("bob@spam.test")), correspondents: [] };
  const met = await store.contacts.meet({ account: owner, id: aliasId }, meeting, NO_LIMITS);
  expect(valueOf(met).isBlocked).toBe(true);
  await service.unblockSender({ account, blockedSenderId });
  const url = "https://hook.test/";
  const webhook = await service.createWebhook({ account, url, events: ["alias.updated"] });
  await service.updateWebhook({ account, webhookId: webhook.id, url: `${url}other` });
  await service.updateAlias({ account, aliasId, active: false });
  const { apiKey, secret } = await service.createApiKey({ account, name: "key", scopes: ["aliases:read"] });
  await service.authenticateApiKey({ secret, client: "program" });
  await expect
    .poll(async () => (await service.listApiKeys({ account })).map(({ lastUse }) => lastUse))
    .toMatchObject([{ by: "program" }]);
  await service.deleteApiKey({ account, apiKeyId: apiKey.id });
  const events = eventSending(ports);
  // A store may skip a webhook once. On a busy machine, the answer can be lost when a turn begins: then nobody else gets it until it ends.
  const beginTurns = async () => {
    ports.clock.advance(TURN_MS);
    return valueOf(await events.beginTurns());
  };
  // The webhooks that the server has removed can be due, too.
  await expect.poll(beginTurns).toBeGreaterThan(0);
  await events.turnsEnded();
  await service.eraseAlias({ account, aliasId });
  valueOf(await store.aliases.retireAddress(valueOf(parseEmailAddress("retired@alias.example"))));
  expect(valueOf(await store.aliases.isRetired(valueOf(parseEmailAddress("retired@alias.example"))))).toBe(
    true,
  );
  expect(valueOf(await store.aliases.listRetiredAddresses({ limit: 10, after: null })).items).toHaveLength(2);
  valueOf(await store.mailLedger.list({ limit: 10, after: null }));
  await service.hasCreatedWith({ account, idempotencyKey: "key" });
  await service.suspendAccount({ account });
  await service.eraseAccount({ account });
  expect(methods.filter((method) => !called.has(method))).toEqual(["accounts"]);
};

test("a server uses the documented permissions, all of them and no others, and exports and imports need no others", async () => {
  const permissions = documentedRights("a server");
  const served = await start(permissions);
  const table = served.variables.POSTERN_DYNAMODB_TABLE;
  await callEveryOperation(served.variables);

  const { proxy, variables } = await start(documentedRights("`export`"), table);
  const exported = await runHere(variables, "export");
  expect(exported).toMatchObject({ status: 0, errors: expect.stringMatching(/^Records exported: [1-9]/) });
  expect(proxy.refused()).toEqual([]);
  expect(proxy.used()).toEqual(documentedRights("`export`"));

  const file = join(newDirectory(), "records.jsonl");
  await writeFile(file, exported.output);
  const to = await start(documentedRights("a server"));
  const domains = { POSTERN_ALIAS_DOMAINS: environment.POSTERN_ALIAS_DOMAINS };
  expect(await runHere({ ...to.variables, ...domains }, "import", file)).toMatchObject({ status: 0 });
  expect(to.proxy.refused()).toEqual([]);

  await callEveryMethod(served.proxy.endpoint, table);
  expect(served.proxy.refused()).toEqual([]);
  expect(served.proxy.used()).toEqual(permissions);
});

test("table create and table check use the documented permissions, all of them and no others", async () => {
  const create = documentedRights("`table create`");
  // A new name each time: if the test is repeated, expiry would already be enabled in a table of the same name.
  const table = `created-${randomUUID()}`;
  const created = await start(create, table);
  expect(await runHere(created.variables, "table", "create")).toMatchObject({ status: 0 });
  expect(created.proxy.refused()).toEqual([]);
  expect(created.proxy.used()).toEqual(create);

  const check = documentedRights("`table check`");
  const checked = await start(check, table);
  expect(await runHere(checked.variables, "table", "check")).toEqual({
    status: 1,
    output: "",
    errors: `The table ${table} is not as required:\n  point-in-time recovery is off, should be on\n`,
  });
  expect(checked.proxy.refused()).toEqual([]);
  expect(checked.proxy.used()).toEqual(check);
});

test("store check and store repair use the documented permissions, all of them and no others", async () => {
  const table = await dynamoDb.newTable();
  const client = dynamoDb.client();
  onTestFinished(() => client.destroy());
  const opened = dynamoStore({
    client,
    table,
    clock: Date,
    onCorruptItem: () => expect.unreachable("no item is corrupt"),
  });
  const service = throwing(
    postern({
      ...testPorts(),
      store: opened,
      aliasDomains: ["alias.example"],
      verificationMail: { send: async () => ok() },
    }),
  );
  const account = "account";
  const { id } = await service.adoptRecipient({ account, email: "first@mail.test" });
  await service.createAlias({ account, recipientIds: [id] });
  const send = (operation: string, parameters: object) =>
    requestDynamoDb(dynamoDb.endpoint, operation, { TableName: table, ...parameters });
  const pk = { S: `account#${account}` };
  // A wrong count, a recipient address without a recipient, and an alias address without an alias.
  await send("UpdateItem", {
    Key: { pk, sk: { S: `recipient#${id}` } },
    UpdateExpression: "SET attached = :wrong",
    ExpressionAttributeValues: { ":wrong": { N: "7" } },
  });
  await send("PutItem", {
    Item: { pk, sk: { S: "recipient-address#0" }, schema: { N: "1" }, recipient: { S: "nobody" } },
  });
  await send("PutItem", {
    Item: {
      pk: { S: "address#0" },
      sk: { S: "address" },
      schema: { N: "1" },
      account: { S: "a" },
      id: { S: "b" },
    },
  });

  const check = documentedRights("`store check`");
  const checked = await start(check, table);
  expect(await runHere(checked.variables, "store", "check")).toMatchObject({ errors: "Differences: 3.\n" });
  expect(checked.proxy.refused()).toEqual([]);
  expect(checked.proxy.used()).toEqual(check);

  const repair = documentedRights("`store repair`");
  const repaired = await start(repair, table);
  expect(await runHere(repaired.variables, "store", "repair")).toMatchObject({
    status: 0,
    errors: "Repaired: 3. Nothing is left.\n",
  });
  expect(repaired.proxy.refused()).toEqual([]);
  expect(repaired.proxy.used()).toEqual(repair);
});

test("table migrate uses the documented permissions, all of them and no others", async () => {
  const table = await dynamoDb.newTable();
  const write = (sk: string) =>
    requestDynamoDb(dynamoDb.endpoint, "PutItem", {
      TableName: table,
      Item: { pk: { S: "account#account" }, sk: { S: sk } },
    });
  await write("alias#older");
  await write("tally#erased\t0");
  const migrate = documentedRights("`table migrate`");
  const { proxy, variables } = await start(migrate, table);
  expect(await runHere(variables, "table", "migrate")).toMatchObject({
    status: 0,
    errors: `The table ${table} is migrated. Aliases migrated now: 1, listed for their recipients: 0, made searchable: 0. Aliases that older servers erased: 1.\n`,
  });
  expect(proxy.refused()).toEqual([]);
  expect(proxy.used()).toEqual(migrate);
  const refused = await start(
    migrate.filter((permission) => permission !== "Scan"),
    table,
  );
  expect(await runHere(refused.variables, "table", "migrate")).toMatchObject({
    status: 1,
    errors: expect.stringContaining("AccessDeniedException): repeat `table migrate`"),
  });
});

test("a server or a command that lacks a permission names it", async () => {
  const { proxy, variables } = await start([]);
  const refused = (permission: string) => ({
    status: 1,
    output: "",
    errors: `The DynamoDB table ${variables.POSTERN_DYNAMODB_TABLE} in eu-central-1 at ${proxy.endpoint} refuses the credentials dynamodb:${permission} (AccessDeniedException): allow what docs/dynamodb.md lists under Permissions.\n`,
  });
  expect(await runHere({ ...environment, ...variables })).toEqual(refused("GetItem"));
  expect(await runHere(variables, "export")).toEqual(refused("GetItem"));
  expect(await runHere(variables, "table", "check")).toEqual(refused("DescribeTable"));
  expect(await runHere(variables, "table", "create")).toEqual(refused("CreateTable"));
});
