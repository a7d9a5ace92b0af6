import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { sqliteStore } from "@postern/adapter-sqlite";
import {
  NO_LIMITS,
  parseAccountId,
  parseEmailAddress,
  parseRecipientId,
  Recipient,
  type Store,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { runsWhole } from "@postern/test-support/runs-whole";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { sharedPostgres } from "@postern/test-support/shared-postgres";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { environment, unlimited } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startKillableServer } from "./support/killable-server.ts";
import { startServerProcess } from "./support/server-process.ts";

/* Creations that are repeated: after the server was killed, and on another server. */

const HOME = valueOf(parseRecipientId("home"));

/** Adds the recipient, verified, to the account of the identity provider's token. */
const addHome = async (store: Pick<Store, "recipients">): Promise<void> => {
  const email = valueOf(parseEmailAddress("home@example.org"));
  const identity = { id: HOME, account: valueOf(parseAccountId("somebody")), email, nonce: "nonce" };
  valueOf(await store.recipients.create(Recipient.verify(Recipient.add(identity, 0), 0), NO_LIMITS));
};

const REQUESTS = {
  "an alias with a generated address": ["/aliases", { recipient_ids: [HOME], alias_format: "words" }],
  "an alias": ["/aliases", { recipient_ids: [HOME], alias_email: "shop@alias.example.com" }],
  "a webhook": ["/webhooks", { url: "https://shop.example/postern", events: ["alias.created"] }],
} as const;

type Request = (typeof REQUESTS)[keyof typeof REQUESTS];

const Created = z.looseObject({ alias_id: z.string().optional(), webhook_id: z.string().optional() });
const Listed = z.record(z.string(), z.unknown()).transform(({ aliases, webhooks }) => aliases ?? webhooks);

const startProvider = async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const headers = { authorization: `Bearer ${provider.token}`, "content-type": "application/json" };
  return {
    issuer: provider.issuer,
    create: async (url: string, [path, body]: Request, key: string) => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { ...headers, "idempotency-key": key },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: Created.parse(await response.json()) };
    },
    list: async (url: string, path: string) => {
      // A server that has just started may be too busy.
      const response = await vi.waitFor(
        async () => {
          const response = await fetch(url + path, { headers });
          expect(response.status).toBe(200);
          return response;
        },
        { timeout: 60_000 },
      );
      return Listed.parse(await response.json());
    },
  };
};

/** Passes a request on to the server, and calls `answered` instead of passing the answer back. Returns its URL. */
const startDroppingProxy = async (url: string, answered: () => void): Promise<string> => {
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [client, server]) socket.on("error", () => {});
    client.pipe(server);
    server.once("data", () => {
      answered();
      client.destroy();
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
};

const newFile = async (): Promise<Record<string, string>> => {
  const path = join(newDirectory(), "postern.db");
  const store = valueOf(sqliteStore({ path, clock: Date }));
  await addHome(store);
  store.close();
  return { ...environment, ...unlimited, POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: path };
};

test.each(Object.entries(REQUESTS))(
  "%s, whose answer was lost because the server was killed, is created once",
  async (_, request) => {
    const variables = await newFile();
    const { issuer, create, list } = await startProvider();
    const start = () => startKillableServer({ ...variables, POSTERN_ISSUER: issuer });
    const killed = await start();
    const proxy = await startDroppingProxy(killed.url, killed.kill);
    await expect(create(proxy, request, "key")).rejects.toThrow("fetch failed");
    await killed.killed;

    const server = await start();
    const [path] = request;
    const stored = await list(server.url, path);
    expect(stored).toHaveLength(1);
    const repeated = await create(server.url, request, "key");
    expect(repeated).toMatchObject({ status: 201 });
    const { secret, ...shown } = repeated.body;
    expect(typeof secret).toBe(path === "/webhooks" ? "string" : "undefined");
    expect([shown]).toEqual(stored);
    expect(await create(server.url, request, "key")).toEqual(repeated);
    expect(await list(server.url, path)).toEqual(stored);
  },
);

const ROUNDS = runsWhole(import.meta.url) ? 20 : 2;

test(`whenever a server is killed, in ${ROUNDS} rounds, repeating until there is an answer creates one alias`, {
  timeout: 120_000 + ROUNDS * 20_000,
}, async () => {
  const variables = await newFile();
  const request = REQUESTS["an alias with a generated address"];
  const ids = new Set<string | undefined>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // Its tokens expire after ten minutes.
    const { issuer, create, list } = await startProvider();
    const server = await startKillableServer({ ...variables, POSTERN_ISSUER: issuer });
    // Those before are all there, once.
    expect(await list(server.url, "/aliases")).toHaveLength(round);
    setTimeout(server.kill, Math.random() * 60);
    await create(server.url, request, `key-${round}`).catch(() => null);
    await server.killed;
    const again = await startKillableServer({ ...variables, POSTERN_ISSUER: issuer });
    const created = await create(again.url, request, `key-${round}`);
    expect(created.status).toBe(201);
    ids.add(created.body.alias_id);
    expect(await list(again.url, "/aliases")).toHaveLength(round + 1);
    again.kill();
    await again.killed;
  }
  expect(ids.size).toBe(ROUNDS);
});

/** Makes a store with the recipient. Returns the variables that name it. */
const STORES: Record<string, () => Promise<Record<string, string>>> = {
  postgres: async () => {
    const url = await (await sharedPostgres()).newDatabase();
    const store = valueOf(await postgresStore({ url: valueOf(parsePostgresUrl(url)), clock: Date }));
    await addHome(store);
    await store.close();
    return { POSTERN_STORE: "postgres", POSTERN_POSTGRES_URL: url };
  },
  dynamodb: async () => {
    const dynamoDb = await sharedDynamoDb();
    const table = await dynamoDb.newTable();
    const client = dynamoDb.client();
    const store = dynamoStore({ client, table, clock: Date, onCorruptItem: () => {}, timeoutMs: 60_000 });
    await addHome(store);
    store.close();
    return {
      POSTERN_STORE: "dynamodb",
      POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
      POSTERN_DYNAMODB_TABLE: table,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    };
  },
};

test.each(Object.entries(STORES))("two servers on %s create once with one key", async (_, open) => {
  const { issuer, create, list } = await startProvider();
  const variables = { ...environment, ...unlimited, ...(await open()), POSTERN_ISSUER: issuer };
  const servers = await Promise.all([startServerProcess(variables), startServerProcess(variables)]);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const urls = servers.map(({ url }) => url);
  const expected = new Map<string, number>();
  for (const [name, request] of Object.entries(REQUESTS)) {
    /** Repeats the request if the server was too busy, as a client does. */
    const createAt = async (url: string): ReturnType<typeof create> => {
      const created = await create(url, request, name.replaceAll(" ", "-"));
      return created.status === 503 ? createAt(url) : created;
    };
    // At once, and then one after the other.
    const created = await Promise.all([...urls, ...urls].map(createAt));
    for (const url of urls) created.push(await createAt(url));
    for (const each of created) expect(each).toEqual({ status: 201, body: created[0]?.body });
    const [path] = request;
    expected.set(path, (expected.get(path) ?? 0) + 1);
    for (const url of urls) expect(await list(url, path)).toHaveLength(expected.get(path) ?? 0);
  }
});
