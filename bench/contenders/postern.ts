import { join } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { ok } from "@postern/core";
import { readConfiguration, startServer } from "@postern/server";
import { announce } from "../support/announce.ts";
import { fillStore } from "../support/fill-store.ts";
import { DOMAIN } from "../support/fixture.ts";
import { readSetup } from "../support/setup.ts";

/* Postern's server, as an operator runs it, on a store that has been filled. */

const { issuer, audience, perMinute, fixture, directory, database, dynamoDbEndpoint, ...setup } = readSetup();

/**
 * The variables that locate the store, and the store itself if it is in memory, since another process cannot fill that one. As in the
 * server, only the adapter that is used is loaded: others would show in the memory figures.
 */
const filled = async () => {
  switch (setup.store) {
    case "memory": {
      const store = memoryStore();
      await fillStore(store, fixture);
      return { variables: {}, store };
    }
    case "sqlite": {
      const { fillSqlite } = await import("../support/fill-sqlite.ts");
      const path = join(directory, database);
      fillSqlite(path, fixture);
      return { variables: { POSTERN_SQLITE_PATH: path } };
    }
    case "dynamodb": {
      const { dynamoLocation, newDynamoStore } = await import("../support/new-dynamo-store.ts");
      const store = newDynamoStore(dynamoDbEndpoint, database);
      await fillStore(store, fixture);
      store.close();
      const { region, credentials } = dynamoLocation(dynamoDbEndpoint);
      process.env["AWS_ACCESS_KEY_ID"] = credentials.accessKeyId;
      process.env["AWS_SECRET_ACCESS_KEY"] = credentials.secretAccessKey;
      const at = { POSTERN_DYNAMODB_ENDPOINT: dynamoDbEndpoint, POSTERN_DYNAMODB_TABLE: database };
      return { variables: { ...at, AWS_REGION: region } };
    }
  }
};

const { variables, store } = await filled();
const configuration = readConfiguration({
  PORT: "0",
  POSTERN_STORE: setup.store,
  POSTERN_ISSUER: issuer,
  POSTERN_AUDIENCE: audience,
  POSTERN_ALIAS_DOMAINS: DOMAIN,
  POSTERN_PUBLIC_URL: "https://postern.test",
  POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
  POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
  POSTERN_MAIL_FROM: "postern@postern.test",
  POSTERN_RATE_LIMIT: String(perMinute),
  POSTERN_ACCESS_LOG: String(setup.accessLog),
  ...(setup.metrics && { POSTERN_METRICS_PORT: "0" }),
  ...variables,
});
if (configuration.isErr()) throw new Error(JSON.stringify(configuration.error));
const started = await startServer(configuration.value, {
  ...(store !== undefined && { store }),
  verificationMail: { send: async () => ok() },
});
if (started.isErr()) throw new Error(JSON.stringify(started.error));
announce(started.value.url);
