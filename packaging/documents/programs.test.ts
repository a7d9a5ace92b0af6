import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRecord } from "@postern/archive";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { type FakeSes, startFakeSes } from "@postern/test-support/fake-ses";
import { type Postgres, startPostgres } from "@postern/test-support/postgres";
import { startWebhookReceiver, type WebhookReceiver } from "@postern/test-support/webhook-receiver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMailbox } from "../../packages/server/test/support/mailbox.ts";
import { freePort } from "../../packages/test-support/src/free-port.ts";
import { block } from "../../scripts/document-blocks.ts";
import { newFolder, outputOf, type Program, type RunProgram } from "./program.ts";

/* The programs in the documents compile, and do what the documents say. */

const SERVICE = `
  import { memoryStore } from "@postern/adapter-memory";
  import { postern } from "@postern/core";
  import { testPorts } from "@postern/core/testing";
  const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() });`;
const OWN_AUTHORIZER = `
  import { type Authorizer } from "@postern/adapter-http";
  const authorizer: Authorizer = { authorize: async () => { throw new Error("/health needs no account"); } };`;
const SIGNED_IN = `
  declare const idToken: string, home: string, work: string, body: string;
  declare const signIn: () => Promise<string>, refresh: () => Promise<string>;`;

/** A user pool, and what the documents of `@postern/sign-in` leave open. */
const USER_POOL = `
  import { startIdentityProvider } from "../../../packages/trial/src/identity-provider/identity-provider.ts";
  let sentCode = "";
  const provider = await startIdentityProvider({ onResetCode: (_, code) => void (sentCode = code) });
  const client = { issuer: provider.issuer, clientId: provider.clients.browser.id };
  const password = "Demo-password-1";
  const ask = async (question: string) => (question.startsWith("Code ") ? sentCode : "Chosen-password-1");`;
/** Signs in before the program begins. */
const signedInAs = (username: string, password: string) =>
  `${USER_POOL}
  import { signInWithPassword } from "@postern/sign-in";
  let signIn = await signInWithPassword(client, { username: "${username}", password: "${password}" });`;
const inUserPool = (text: string): string => text.replaceAll("ada@example.com", "demo@postern.example");

let dynamo: DynamoDbLocal;
let postgres: Postgres;
let database: string;
let mailbox: Awaited<ReturnType<typeof startMailbox>>;
let receiver: WebhookReceiver;
let ses: FakeSes;
let port: number;
const folder = newFolder();

beforeAll(async () => {
  [dynamo, postgres, mailbox, receiver, ses, port] = await Promise.all([
    startDynamoDbLocal(),
    startPostgres(),
    startMailbox(),
    startWebhookReceiver(),
    startFakeSes(),
    freePort(),
  ]);
  database = await postgres.newDatabase();
});
afterAll(async () => {
  await mailbox.stop();
  await receiver.close();
  ses.close();
  await postgres.stop();
  await dynamo.stop();
});

const newDkimKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

/** A program with a `service`, which uses it before it closes the store. */
const used = (program: string): string =>
  program.replace(
    /^(await )?store\.close/m,
    `const account = "tenant-1";
    const home = await service.adoptRecipient({ account, email: "me@home.example" });
    if (home.isErr()) throw new Error(home.error.code);
    const alias = await service.createAlias({ account, recipientIds: [home.value.id] });
    if (alias.isErr()) throw new Error(alias.error.code);
    console.log(\`\${alias.value.email} forwards to \${home.value.email}\`);
    $&`,
  );

/** A mail plane. */
const PLANE = `
  import { memorySpool, memoryStore } from "@postern/adapter-memory";
  import { dkimSigner, smtpRelay } from "@postern/adapter-smtp";
  import { mailPlane } from "@postern/mail";
  import { nodePorts } from "@postern/node";
  const relay = smtpRelay({ url: "smtp://localhost:25", name: "mx.alias.example", connections: 10 });
  const plane = mailPlane({
    store: memoryStore(),
    spool: memorySpool({ limit: 1024 ** 3 }),
    signer: dkimSigner({ key: process.env["DKIM_KEY"] ?? "", selector: "postern", arc: null }),
    relay,
    aliasDomains: ["alias.example"],
    serverName: "mx.alias.example",
    postmaster: "me@home.example",
    copiesAtOnce: relay.connections,
    ...nodePorts({ linkSecrets: [process.env["LINK_SECRET"] ?? ""] }),
  });`;

/** By file name. Functions, because some need what is started above. */
const programs: Readonly<Record<string, () => RunProgram>> = {
  "core.ts": () => ({
    text: block("packages/core/README.md", "@postern/core", 1),
    prints: /^\S+@alias\.example forwards to me@home\.example\n$/,
  }),
  "node.ts": () => ({
    before: 'const deliver = async (to: string, text: string) => console.log("To", to, text);',
    text: block("packages/node/README.md", "@postern/node"),
    prints: /^To me@home\.example Confirm your address: https:\/\/app\.example\/verify\?token=\S+\n$/,
  }),
  "memory.ts": () => ({
    text: block("packages/adapter-memory/README.md", "@postern/adapter-memory", 1),
    after: "console.log(alias.email);",
    prints: /@alias\.example\n$/,
  }),
  "sqlite.ts": () => ({
    text: used(block("packages/adapter-sqlite/README.md", "@postern/adapter-sqlite", 1)),
    prints: /^\S+@alias\.example forwards to me@home\.example\n$/,
  }),
  "sqlite-spool.ts": () => ({
    text: block("packages/adapter-sqlite/README.md", "The spool"),
    prints: /^0 copies are waiting\n$/,
  }),
  "sqlite-backup.ts": () => ({
    before: `
      import { sqliteStore } from "@postern/adapter-sqlite";
      import { mkdirSync } from "node:fs";
      mkdirSync("backups");
      const opened = sqliteStore({ path: "data/to-back-up.db", clock: Date });`,
    text: block("docs/sqlite.md", "Backup", 1)
      .replace("/var/lib/postern/postern.db", "data/to-back-up.db")
      .replace("/backups/", "backups/"),
    after: "console.log(opened.isOk() && done.isOk());",
    prints: /^true\n$/,
  }),
  "postgres.ts": () => ({
    text: used(block("packages/adapter-postgres/README.md", "@postern/adapter-postgres", 1)),
    prints: /^\S+@alias\.example forwards to me@home\.example\n$/,
    variables: {
      DATABASE_URL: database,
    },
  }),
  "dynamodb.ts": () => ({
    text: used(block("packages/adapter-dynamodb/README.md", "@postern/adapter-dynamodb", 1)),
    prints: /^\S+@alias\.example forwards to me@home\.example\n$/,
    variables: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    },
  }),
  "smtp.ts": () => ({
    text: block("packages/adapter-smtp/README.md", "@postern/adapter-smtp").replace(
      "smtps://user:password@mail.example.com",
      `${mailbox.url}?tls.rejectUnauthorized=false`,
    ),
    prints: /^sent\n$/,
  }),
  "ses.ts": () => ({
    text: block("packages/adapter-ses/README.md", "@postern/adapter-ses"),
    prints: /^sent\n$/,
    variables: {
      AWS_ENDPOINT_URL_SESV2: ses.endpoint,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    },
  }),
  "ses-relay.ts": () => ({
    text: block("packages/adapter-ses/README.md", "Forwarded mail"),
    after: `console.log((await relay.probe?.())?.isOk());`,
    prints: /^true\n$/,
    variables: {
      AWS_ENDPOINT_URL_SESV2: ses.endpoint,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    },
  }),
  "smtp-relay.ts": () => ({
    text: block("packages/adapter-smtp/README.md", "Forwarding"),
    after: `relay.close(); console.log(typeof signer.sign);`,
    prints: /^function\n$/,
    variables: { DKIM_KEY: newDkimKey() },
  }),
  "mail.ts": () => ({
    text: block("packages/mail/README.md", "@postern/mail", 1),
    after: "await plane.stop(); relay.close(); console.log(typeof plane.admitRecipient);",
    prints: /^function\n$/,
    variables: { DKIM_KEY: newDkimKey() },
  }),
  "smtp-in.ts": () => ({
    before: PLANE,
    text: block("packages/adapter-smtp-in/README.md", "@postern/adapter-smtp-in").replace("2525", "0"),
    after: "relay.close(); console.log(server.port > 0);",
    prints: /^true\n$/,
    variables: { DKIM_KEY: newDkimKey() },
  }),
  "webhooks.ts": () => ({
    text: block("packages/adapter-webhooks/README.md", "@postern/adapter-webhooks")
      .replace("https://example.com/postern", receiver.url)
      .replace(
        "webhookSender({",
        `webhookSender({ allowPrivateNetworks: true, ca: process.env["CA"] ?? "", dns: "${receiver.dns}",`,
      ),
    prints: /^\{ code: 'delivered' \}\n$/,
    variables: { CA: receiver.ca },
  }),
  "http.ts": () => ({
    text: block("packages/adapter-http/README.md", "Standalone").replace("8080", `${port}`),
    after: `console.log((await fetch("http://127.0.0.1:${port}/health")).status); await api.close();`,
    prints: /^200\n$/,
  }),
  "http-keys.ts": () => ({
    before: `${OWN_AUTHORIZER}
      import { memoryStore } from "@postern/adapter-memory";
      import { testPorts } from "@postern/core/testing";
      const ports = { store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() };`,
    text: block("packages/adapter-http/README.md", "For programs with keys").replaceAll(/808\d/g, "0"),
    after: `
      const created = await service.createApiKey({ account: "ada", name: "Mine", scopes: ["aliases:read"] });
      if (created.isErr()) throw new Error(created.error.code);
      const headers = { authorization: \`Bearer \${created.value.secret}\` };
      for (const url of ["/aliases", "/recipients"]) console.log((await keysApi.inject({ url, headers })).statusCode);
      await api.close();
      await keysApi.close();`,
    prints: /^200\n403\n$/,
  }),
  "http-observer.ts": () => ({
    before: `${SERVICE}
      import { type Authorizer } from "@postern/adapter-http";
      import { err } from "@postern/core";
      const authorizer: Authorizer = {
        authorize: ({ headers }) => headers.cookie === undefined
          ? err({ code: "unauthorized", reason: "missing" })
          : err({ code: "unavailable", cause: { source: "sessions", reason: "ECONNREFUSED" } }),
      };`,
    text: block("packages/adapter-http/README.md", "What goes wrong"),
    after: `for (const headers of [{}, { cookie: "a" }]) await api.inject({ url: "/aliases", headers });`,
    prints: /^GET \/aliases: 401, missing\nGET \/aliases: 503, sessions ECONNREFUSED\n$/,
  }),
  "http-fastify.ts": () => ({
    before: SERVICE + OWN_AUTHORIZER,
    text: block("packages/adapter-http/README.md", "Fastify"),
    after: `console.log((await app.inject("/mail/health")).statusCode);`,
    prints: /^200\n$/,
  }),
  "http-express.ts": () => ({
    before: SERVICE + OWN_AUTHORIZER,
    text: block("packages/adapter-http/README.md", "Express, Connect and node:http"),
    after: `
      import { once } from "node:events";
      import type { AddressInfo } from "node:net";
      const server = app.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      console.log((await fetch(\`http://127.0.0.1:\${port}/mail/health\`)).status);
      server.close();
      server.closeAllConnections();
      await api.close();`,
    prints: /^200\n$/,
  }),
  "http-hono.ts": () => ({
    before: SERVICE + OWN_AUTHORIZER,
    text: block("packages/adapter-http/README.md", "Hono, Bun, Deno: anything with fetch"),
    after: `console.log((await app.request("/mail/health")).status);`,
    prints: /^200\n$/,
  }),
  "lambda.ts": () => ({
    before: `
      import { createTable } from "@postern/adapter-dynamodb";
      await createTable({ region: "eu-central-1" }, "postern");`,
    text: block("packages/adapter-lambda/README.md", "@postern/adapter-lambda", 1),
    after: `
      const iat = Math.floor(Date.now() / 1000);
      const iss = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example";
      const claims = { iss, aud: "the-app-client-id", sub: "ada", token_use: "id", iat, exp: iat + 600 };
      const token = [{ alg: "RS256", kid: "a" }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      const send = async (method: string, rawPath: string, rawQueryString: string, body?: string) => {
        const event = {
          version: "2.0",
          rawPath,
          rawQueryString,
          headers: { host: "a", authorization: \`Bearer \${token}.AAAA\`, "content-type": "application/json" },
          requestContext: {
            stage: "$default",
            http: { method, sourceIp: "192.0.2.1" },
            authorizer: { jwt: { claims: { ...claims, exp: String(claims.exp) } } },
          },
          ...(body !== undefined && { body: Buffer.from(body).toString("base64"), isBase64Encoded: true }),
        };
        const context = { awsRequestId: "8476a536", getRemainingTimeInMillis: () => 60_000 };
        const answered = await handler(event, context);
        return { status: answered.statusCode, body: JSON.parse(answered.body) };
      };
      const adopted = await service.adoptRecipient({ account: "ada", email: "me@home.example" });
      const recipient_ids = adopted.isOk() ? [adopted.value.id] : [];
      const alias = { recipient_ids, description: "a,b/c+d 100%" };
      console.log((await send("POST", "/aliases", "", JSON.stringify(alias))).status);
      console.log((await send("GET", "/aliases", "q=a,b")).body.aliases.length);
      for (const query of ["token=a,b%2Fc+d%2Be%25", "token=a&token=b"]) {
        const { status, body } = await send("GET", "/recipients/verify", query);
        console.log(status, body.confirm_url ?? body.errors[0].reason);
      }
      process.exit();`,
    prints:
      /^201\n1\n200 \/recipients\/verify\?token=a%2Cb%2Fc\+d%2Be%25&confirm=true\n400 must be given once\n$/,
    variables: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    },
  }),
  "http-authorizer.ts": () => ({
    before: `const sessions = { find: async (cookie?: string) => (cookie === "a" ? { tenantId: "tenant-1" } : null) };`,
    text: block("packages/adapter-http/README.md", "Authorizers"),
    after: `
      for (const cookie of ["a", "b"]) {
        const decided = await authorizer.authorize({ headers: { cookie } } as Parameters<typeof authorizer.authorize>[0]);
        console.log(decided.isOk() ? decided.value : decided.error.code);
      }`,
    prints: /^tenant-1\nunauthorized\n$/,
  }),
  "sign-in.ts": () => ({
    before: USER_POOL,
    text: inUserPool(block("packages/sign-in/README.md", "@postern/sign-in")).replace(
      /^const client = .*?;$/ms,
      "",
    ),
    after: "await provider.stop();",
    prints: /^[\w-]+\.[\w-]+\.[\w-]+\n$/,
  }),
  "sign-in-challenges.ts": () => ({
    before: signedInAs("new@postern.example", "Temporary-password-1"),
    text: block("packages/sign-in/README.md", "Challenges"),
    after: "console.log(signIn.type); await provider.stop();",
    prints: /^signedIn\n$/,
  }),
  "sign-in-forgotten.ts": () => ({
    before: USER_POOL,
    text: inUserPool(block("packages/sign-in/README.md", "A forgotten password")),
    after: "await provider.stop();",
    prints: /^passwordChanged\n$/,
  }),
  "sign-in-page.ts": () => ({
    before: `${USER_POOL}
      const kept = new Map<string, string>();
      const sessionStorage = {
        setItem: (name: string, value: string) => void kept.set(name, value),
        getItem: (name: string) => kept.get(name) ?? null,
        removeItem: (name: string) => void kept.delete(name),
      };
      const location = { href: "", assign: (url: string) => void (location.href = url) };
      const signInOnPage = async () => {
        const body = new URLSearchParams({ username: "demo@postern.example", password });
        const { headers } = await fetch(location.href, { method: "POST", body, redirect: "manual" });
        location.href = headers.get("location") ?? "";
      };`,
    text: block("packages/sign-in/README.md", "At the provider's page")
      .replace("https://app.example.com/signed-in", "http://localhost:5173/")
      .replace("// On that page", "await signInOnPage(); // On that page"),
    after: "console.log(finished.type, kept.size); await provider.stop();",
    prints: /^signedIn 0\n$/,
  }),
  "sign-in-renewing.ts": () => ({
    before: `${signedInAs("demo@postern.example", "Demo-password-1")}
      if (signIn.type !== "signedIn") throw new Error(signIn.type);
      let tokens = { ...signIn.tokens, expiresAt: 0 };`,
    text: block("packages/sign-in/README.md", "Renewing, and signing out"),
    after: `
      const { type } = await refresh(client, tokens);
      console.log(tokens.expiresAt > 0, type);
      await provider.stop();`,
    prints: /^true refused\n$/,
  }),
  "archive.ts": () => ({
    before: `
      import { memoryStore } from "@postern/adapter-memory";
      import { postern } from "@postern/core";
      import { testPorts } from "@postern/core/testing";
      const [oldStore, newStore] = [memoryStore(), memoryStore()];
      const service = (store: typeof oldStore) => postern({ store, aliasDomains: ["alias.example"], ...testPorts() });
      await service(oldStore).adoptRecipient({ account: "tenant-1", email: "me@home.example" });`,
    text: block("packages/archive/README.md", "@postern/archive"),
    after: `
      const listed = await service(newStore).listRecipients({ account: "tenant-1" });
      console.log(listed.isOk() && listed.value.items.map(({ email }) => email).join());`,
    prints: /^me@home\.example\n$/,
  }),
};

/** Programs that are only compiled here. */
const parts: Readonly<Record<string, Program>> = {
  // packages/client/test/readme.test.ts runs these.
  "client.ts": { before: SIGNED_IN, text: block("packages/client/README.md", "@postern/client") },
  "client-throwing.ts": { before: SIGNED_IN, text: block("packages/client/README.md", "Results") },
  "client-lists.ts": { before: SIGNED_IN, text: block("packages/client/README.md", "Lists") },
  "client-tokens.ts": { before: SIGNED_IN, text: block("packages/client/README.md", "Tokens") },
  "client-events.ts": { before: SIGNED_IN, text: block("packages/client/README.md", "Events") },
  "columns.ts": {
    before: `import type { AliasSettings } from "@postern/core/store";`,
    text: block("docs/write-an-adapter.md", "What `save` writes"),
  },
  "open-store.ts": { text: block("packages/adapter-contracts/README.md", "Use") },
  "store.test.ts": { text: block("packages/adapter-contracts/README.md", "Use", 1) },
  "store.node-test.ts": { text: block("packages/adapter-contracts/README.md", "Use", 2) },
  "spool.test.ts": { text: block("packages/adapter-contracts/README.md", "Spools") },
};

describe("the programs in the documents", () => {
  beforeAll(() => {
    const started = Object.entries(programs).map(([name, program]) => [name, program()] as const);
    for (const [name, { before = "", text, after = "" }] of [...started, ...Object.entries(parts)]) {
      writeFileSync(join(folder, name), `${before}\n${text}\n${after}\n`);
    }
  });

  test("compile", async () => {
    const tsc = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
    expect(await outputOf(process.execPath, [tsc, "-p", "."], folder)).toBe("");
  });

  test.for(Object.entries(programs))("%s runs", async ([name, program]) => {
    const { prints, variables = {} } = program();
    expect(await outputOf(process.execPath, [name], folder, variables)).toMatch(prints);
  });

  test("the contract suite runs with vitest and with node:test", () =>
    outputOf("sh", ["-euc", block("packages/adapter-contracts/README.md", "Use", 3)], folder));
});

test("a line of the archive's format can be read", () => {
  expect(readRecord(block("packages/archive/README.md", "Format").trim())).toMatchObject({
    value: { kind: "retired_address" },
  });
});
