import { dynamoStore } from "@postern/adapter-dynamodb";
import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { sqliteStore } from "@postern/adapter-sqlite";
import {
  Recipient as CoreRecipient,
  NO_LIMITS,
  parseAccountId,
  parseEmailAddress,
  postern,
  type Store,
} from "@postern/core";
import { parseApiKey } from "@postern/core/store";
import { testPorts, valueOf } from "@postern/core/testing";
import { uuids } from "@postern/node";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { sharedPostgres } from "@postern/test-support/shared-postgres";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { movableClock, tenSecondsLater } from "./clock.ts";
import { environment, unlimited } from "./environment.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startMailbox } from "./mailbox.ts";
import { runHere } from "./run-here.ts";
import { startServerProcess } from "./server-process.ts";

/** A store that processes can share: the variables that locate it, and how this process opens it too. */
type Shared = {
  readonly variables: Record<string, string>;
  open(): Promise<Store & { close(): void | Promise<void> }>;
};

const sqlite = async (): Promise<Shared> => {
  const path = `${newDirectory()}/postern.db`;
  return {
    variables: { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: path },
    open: async () => valueOf(sqliteStore({ path, clock: Date, alongside: true })),
  };
};

const postgres = async (): Promise<Shared> => {
  const url = await (await sharedPostgres()).newDatabase();
  return {
    variables: { POSTERN_STORE: "postgres", POSTERN_POSTGRES_URL: url },
    open: async () => valueOf(await postgresStore({ url: valueOf(parsePostgresUrl(url)), clock: Date })),
  };
};

const dynamodb = async (): Promise<Shared> => {
  const dynamoDb = await sharedDynamoDb();
  const table = await dynamoDb.newTable();
  const region = "eu-central-1";
  return {
    variables: {
      POSTERN_STORE: "dynamodb",
      POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
      POSTERN_DYNAMODB_TABLE: table,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    },
    open: async () =>
      dynamoStore({
        client: dynamoDb.client(dynamoDb.endpoint),
        table,
        clock: Date,
        onCorruptItem: () => expect.unreachable("no item is corrupt"),
      }),
  };
};

export const sharedStores = { sqlite, postgres, dynamodb };

const ALIAS_DOMAIN = environment.POSTERN_ALIAS_DOMAINS;

const Recipient = z.object({ recipient_id: z.string(), recipient_email: z.string() });
const Alias = z.object({ alias_id: z.string(), alias_email: z.string() });

/** A running server on the store, with everything that it needs, and its operator's commands. */
export const startAdministered = async ({ variables: store, open }: Shared) => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const mailbox = await startMailbox();
  onTestFinished(mailbox.stop);
  const variables = {
    ...environment,
    ...unlimited,
    ...store,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
    POSTERN_RATE_LIMIT: "0",
    POSTERN_SERVICE_NAME: "Posthorn",
  };
  const server = await startServerProcess({ ...variables, ...movableClock });
  onTestFinished(async () => void (await server.stop()));

  const call = async (account: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${provider.tokenOf(account)}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : z.looseObject({}).parse(JSON.parse(text)) };
  };

  // The first request does what the later ones need not: on a very busy machine, it can miss its deadline.
  await expect.poll(async () => (await call("nobody", "GET", "/aliases")).status).toBe(200);

  /** The newest link that was sent. */
  const newestLink = (): URL => new URL(/^http:\S+$/m.exec(mailbox.messages.at(-1)?.text ?? "")?.[0] ?? "");

  const confirm = async (link: URL, what: "confirm" | "suppress") => {
    const response = await fetch(`${server.url}${link.pathname}${link.search}&${what}=true`);
    return response.status;
  };

  /** Another process's view of the store. */
  const withStore = async <T>(use: (store: Store) => Promise<T>): Promise<T> => {
    const opened = await open();
    const result = await use(opened);
    await opened.close();
    return result;
  };

  return {
    mailbox,
    call,
    newestLink,
    confirm,
    /** Runs a command with the variables of the server, in this process. */
    command: (...args: string[]) => runHere({ ...variables, POSTERN_PUBLIC_URL: server.url }, ...args),
    variables,
    /** Has the server forget what it remembers of accounts. */
    tenSecondsLater: () => tenSecondsLater(server.pid),
    addRecipient: async (account: string, recipient_email: string) => {
      const added = await call(account, "POST", "/recipients", { recipient_email });
      expect(added.status).toBe(201);
      return Recipient.parse(added.body);
    },
    addAlias: async (account: string, recipient_ids: readonly string[]) => {
      const added = await call(account, "POST", "/aliases", { recipient_ids });
      expect(added.status).toBe(201);
      return Alias.parse(added.body);
    },
    /** Where mail to the address would go, as another process sees it. */
    resolve: (address: string) =>
      withStore((store) =>
        postern({ store, aliasDomains: [ALIAS_DOMAIN], ...testPorts(Date.now()) }).resolveAlias({ address }),
      ),
    /** Stores an API key. */
    addApiKey: async (owner: string) => {
      const fields = {
        id: "abcdefghijklmnopqrstuvwxyz",
        account: owner,
        hash: "0123456789abcdef",
        name: "Password manager",
        scopes: ["aliases:create"],
        aliasDomain: null,
        recipientIds: null,
        expiresAt: null,
        createdAt: Date.now(),
        lastUse: null,
      };
      await withStore(async (store) => valueOf(await store.apiKeys.create(valueOf(parseApiKey(fields)))));
    },
    /** Stores an unverified recipient that has not been sent a message, and returns its id. */
    addUnsent: async (owner: string, address: string): Promise<string> => {
      const id = uuids.recipient();
      const [account, email] = [valueOf(parseAccountId(owner)), valueOf(parseEmailAddress(address))];
      const recipient = CoreRecipient.add({ id, account, email, nonce: id }, Date.now());
      await withStore(async (store) => valueOf(await store.recipients.create(recipient, NO_LIMITS)));
      return id;
    },
  };
};
