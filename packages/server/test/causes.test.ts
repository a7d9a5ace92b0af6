import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "@postern/test-support/free-port";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startMailbox } from "./support/mailbox.ts";
import { startPermissionProxy } from "./support/permission-proxy.ts";
import { startServerProcess } from "./support/server-process.ts";

/* What the log and the metrics of a real server tell its operator about a real failure outside it. */

const Line = z.looseObject({ level: z.number(), msg: z.string() });

/** A server with metrics, and an issuer that responds. */
const start = async (variables: Record<string, string> = {}) => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const metricsPort = await freePort();
  const starting = () =>
    startServerProcess({
      ...environment,
      POSTERN_ISSUER: provider.issuer,
      POSTERN_METRICS_PORT: `${metricsPort}`,
      ...variables,
    });
  // It does not start if the machine is so busy that its store does not respond in time.
  const server = await starting().catch(starting);
  onTestFinished(async () => void (await server.stop()));
  const call = async (method: string, path: string, body?: unknown, token = provider.token) => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  /** All lines, except those that only say how many others there were. */
  const lines = () =>
    server
      .output()
      .trim()
      .split("\n")
      .map((line) => Line.parse(JSON.parse(line)))
      .filter(({ msg }) => !msg.startsWith("further"));
  const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return { url: server.url, provider, call, lines, scrape };
};

test("SQLite: another program writes", async () => {
  const path = join(newDirectory(), "postern.db");
  const { call, lines, scrape } = await start({ POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: path });
  // The server writes now and then too.
  using tool = new DatabaseSync(path);
  tool.exec("BEGIN IMMEDIATE");
  expect(await call("POST", "/recipients", { recipient_email: "ada@example.com" })).toBe(503);
  await expect.poll(lines).toContainEqual(
    expect.objectContaining({
      level: 40,
      msg: "request failed",
      route: "/recipients",
      status: 503,
      cause: "sqlite SQLITE_BUSY",
    }),
  );
  const text = await scrape();
  expect(text).toContain('postern_store_failures_total{operation="recipients.create"} 1\n');
  expect(text).toContain('postern_http_responses_total{status="503"} 1\n');
});

test("DynamoDB: nothing listens at the endpoint", async () => {
  const dynamoDb = await sharedDynamoDb();
  const { endpoint, stop } = await startPermissionProxy(dynamoDb.endpoint);
  onTestFinished(stop);
  const { call, lines, scrape } = await start({
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: endpoint,
    POSTERN_DYNAMODB_TABLE: await dynamoDb.newTable(),
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  await stop();
  expect(await call("GET", "/aliases")).toBe(503);
  await expect.poll(lines).toContainEqual(
    expect.objectContaining({
      msg: "request failed",
      status: 503,
      cause: "dynamodb ECONNREFUSED until the deadline",
    }),
  );
  expect(await scrape()).toContain('postern_store_failures_total{operation="suspensions.find"} 1\n');
});

test.each([
  ["onAuth", 535, "not_sent", "smtp 535 to AUTH"],
  ["onRcptTo", 550, "refused", "smtp 550 to RCPT TO"],
] as const)("SMTP: the mail server refuses in %s, with %i", async (event, code, result, cause) => {
  const refuse = (_input: unknown, _session: unknown, done: (error: Error) => void): void =>
    done(Object.assign(new Error("<ada@example.com>: no"), { responseCode: code }));
  const mailbox = await startMailbox(0, { [event]: refuse });
  onTestFinished(mailbox.stop);
  const url = `${mailbox.url.replace("//", "//user:password@")}?tls.rejectUnauthorized=false`;
  const { call, lines, scrape } = await start({ POSTERN_SMTP_URL: url });
  expect(await call("POST", "/recipients", { recipient_email: "ada@example.com" })).toBe(201);
  await expect.poll(lines).toContainEqual(
    expect.objectContaining({
      level: 40,
      msg: "verification message failed",
      result,
      cause,
      account: expect.stringMatching(/^[\w-]{16}$/),
    }),
  );
  const text = await scrape();
  expect(text).toContain(`postern_mail_messages_total{result="${result}"} 1\n`);
  expect(text).toContain('postern_mail_messages_total{result="sent"} 0\n');
});

test("JWKS: the issuer's keys cannot be fetched, and then they can", async () => {
  const provider = await startIdentityProvider();
  provider.release();
  provider.break(true);
  onTestFinished(provider.stop);
  const { call, lines, scrape } = await start({ POSTERN_ISSUER: provider.issuer });
  expect(await call("GET", "/aliases", undefined, provider.token)).toBe(503);
  await expect.poll(lines).toContainEqual(
    expect.objectContaining({
      level: 40,
      msg: "the issuer's keys could not be fetched",
      cause: "jwks openid-configuration: HTTP 500",
    }),
  );
  await expect
    .poll(lines)
    .toContainEqual(expect.objectContaining({ status: 503, cause: "jwks openid-configuration: HTTP 500" }));
  expect(await scrape()).toMatch(/^postern_jwks_fetches_total\{result="failed"\} [12]$/m);

  provider.break(false);
  await expect.poll(() => call("GET", "/aliases", undefined, provider.token), { interval: 300 }).toBe(200);
  await expect
    .poll(lines)
    .toContainEqual(expect.objectContaining({ level: 30, msg: "the issuer's keys are fetched again" }));
  // Once, however many fetches have failed.
  expect(lines().filter(({ msg }) => msg === "the issuer's keys could not be fetched")).toHaveLength(1);
  expect(await scrape()).toContain('postern_jwks_fetches_total{result="ok"} 1\n');
});

test("tokens: each reason is logged at info and counted", async () => {
  const { url, provider, call, lines, scrape } = await start();
  const past = { iat: 1, exp: 2 };
  const tokens = {
    audience: provider.tokenOf("ada", "test", { aud: "another" }),
    issuer: provider.tokenOf("ada", "test", { iss: "https://id.example.com/other" }),
    expired: provider.tokenOf("ada", "test", past),
    kind: provider.tokenOf("ada", "test", { token_use: "access" }),
    unknown_key: provider.tokenOf("ada", "another"),
    signature: `${provider.token.slice(0, -6)}AAAAAA`,
    form: "a.b.c",
  };
  // The first request can take so long on a busy machine that it is logged as slow.
  expect(await call("GET", "/aliases")).toBe(200);
  for (const token of Object.values(tokens))
    expect(await call("GET", "/aliases", undefined, token)).toBe(401);
  expect((await fetch(`${url}/aliases`)).status).toBe(401);
  for (const reason of [...Object.keys(tokens), "missing"]) {
    await expect.poll(lines).toContainEqual(
      expect.objectContaining({
        level: 30,
        msg: "request refused",
        route: "/aliases",
        status: 401,
        reason,
      }),
    );
    expect(await scrape()).toContain(`postern_tokens_refused_total{reason="${reason}"} 1\n`);
  }
  expect(await scrape()).toContain('postern_tokens_refused_total{reason="gateway"} 0\n');
});

test("tokens: those who may have no account are refused, logged without their claims, and counted", async () => {
  const { provider, call, lines, scrape } = await start({ POSTERN_REQUIRED_CLAIM: "groups=mail" });
  const ada = provider.tokenOf("ada", "test", { groups: ["admins", "mail"] });
  const bob = provider.tokenOf("bob", "test", { groups: ["private-group"] });
  expect(await call("GET", "/aliases", undefined, ada)).toBe(200);
  expect(await call("GET", "/aliases", undefined, bob)).toBe(403);
  const refusal = {
    level: 30,
    msg: "request refused",
    route: "/aliases",
    status: 403,
    reason: "not_allowed",
  };
  await expect.poll(lines).toContainEqual(expect.objectContaining(refusal));
  expect(JSON.stringify(lines())).not.toContain("private-group");
  expect(await scrape()).toContain('postern_tokens_refused_total{reason="not_allowed"} 1\n');
});
