import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { memorySpool } from "@postern/adapter-memory";
import { parseDomain } from "@postern/core";
import { markOfSpool } from "@postern/core/operations";
import { valueOf } from "@postern/core/testing";
import { beginBounceProbe, type Spool } from "@postern/mail";
import { nodePorts } from "@postern/node";
import { lambda } from "@postern/test-support/built-server";
import { type FakeSes, startFakeSes } from "@postern/test-support/fake-ses";
import { startForwarder } from "@postern/test-support/forwarder";
import type { LambdaFunction } from "@postern/test-support/lambda-function";
import { delivery } from "@postern/test-support/ses-events";
import PostalMime from "postal-mime";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { startValkey } from "../../adapter-http/test/support/valkey.ts";
import {
  adoptRecipient,
  functionEnvironment,
  linesOf,
  openTable,
  requestBy,
  startFunction,
} from "./support/lambda.ts";
import { newReceiver } from "./support/webhooks.ts";

/* The built functions, each in a process of its own, with the Runtime API of Lambda and a real DynamoDB Local. */

/** Prints the URL of each file that is loaded of the bundle. */
const PRINTING = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const noted = (url) => url.includes("/lambda/") && console.log(JSON.stringify({ loaded: url }));
  registerHooks({ load: (url, context, next) => (noted(url), next(url, context)) });
`)}`;

/** The path that confirms the recipient to whom the last message was sent. */
const linkIn = async ({ messages }: FakeSes): Promise<string> => {
  const { text = "" } = await PostalMime.parse(messages.at(-1)?.raw ?? "");
  const [, path] = /https:\/\/postern\.test(\/recipients\/verify\?token=\S+)/.exec(text) ?? [];
  return `${path}&confirm=true`;
};

let variables: Record<string, string>;
beforeEach(async () => {
  variables = await functionEnvironment();
});

describe("the bundle", () => {
  test("has a program of at most 2 MB, and nothing that only a server needs", () => {
    const read = (file: string) => readFileSync(join(lambda, file), "utf8");
    /** What is loaded with a file, and with it. */
    const loadedWith = (file: string): readonly string[] =>
      [...read(file).matchAll(/\bfrom"\.\/([\w-]+\.mjs)"/g)].flatMap(([, name = ""]) => [
        name,
        ...loadedWith(name),
      ]);
    const program = new Set(["index.mjs", ...loadedWith("index.mjs")]);
    expect([...program].reduce((sum, file) => sum + read(file).length, 0)).toBeLessThan(2_000_000);
    expect([...program]).not.toContain("inbound.mjs");
    const SourceMap = z.object({ sources: z.array(z.string()).min(1) });
    const modules = new Map(
      readdirSync(lambda)
        .filter((file) => file.endsWith(".mjs.map"))
        .map((file) => [file, SourceMap.parse(JSON.parse(readFileSync(join(lambda, file), "utf8"))).sources]),
    );
    const all = [...modules.values()].flat();
    expect(all.some((path) => path.endsWith("packages/server/src/lambda/functions.ts"))).toBe(true);
    const UNWANTED =
      /\/node_modules\/(?:nodemailer(?!\/dist\/cjs\/addressparser\/)|prom-client|inversify|reflect-metadata|pg|birpc)\/|packages\/(?:adapter-(?:sqlite|postgres|memory|smtp|smtp-in)\/src\/(?!postgres-url)|server\/src\/(?:cli|commands|mail-identity)\/)/;
    expect(all.filter((path) => UNWANTED.test(path))).toEqual([]);
    const filesWith = (name: string) =>
      [...modules].flatMap(([file, paths]) =>
        paths.some((path) => path.includes(`/${name}/`)) ? [file] : [],
      );
    expect(filesWith("ioredis")).toEqual(["redis-counters.mjs.map"]);
    // What checks senders reads addresses with a part of nodemailer.
    for (const name of ["mailauth", "nodemailer", "client-s3"])
      expect(filesWith(name)).toEqual(["inbound.mjs.map"]);
  });

  test("loads the client of Redis only with a Redis, in which functions count together", async () => {
    const printing = { node: [process.execPath, "--import", PRINTING] } as const;
    const loadedBy = (output: string) => linesOf(output).flatMap(({ loaded }) => loaded ?? []);
    const alone = await startFunction("api", variables, printing);
    expect(await requestBy(alone, "alice", "GET", "/aliases")).toMatchObject({ status: 200 });
    expect(loadedBy(alone.output())).toContainEqual(expect.stringMatching(/index\.mjs$/));
    expect(loadedBy(alone.output())).not.toContainEqual(expect.stringMatching(/redis/));

    const valkey = await startValkey();
    onTestFinished(valkey.kill);
    const counted = { ...variables, POSTERN_REDIS_URL: valkey.url, POSTERN_RATE_LIMIT: "3" };
    const [first, second] = [
      await startFunction("api", counted, printing),
      await startFunction("api", counted),
    ];
    const statuses: number[] = [];
    for (const each of [first, second, first, second]) {
      statuses.push((await requestBy(each, "alice", "GET", "/aliases")).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(loadedBy(first.output())).toContainEqual(expect.stringMatching(/redis-counters\.mjs$/));
  });
});

describe("the API", () => {
  test("verifies a recipient through SES, and logs one line of JSON for each thing, metrics included", async () => {
    const ses = await startFakeSes();
    onTestFinished(ses.close);
    const api = await startFunction("api", {
      ...variables,
      AWS_ENDPOINT_URL_SESV2: ses.endpoint,
      POSTERN_ACCESS_LOG: "true",
    });
    const created = await requestBy(api, "alice", "POST", "/v1/recipients", {
      recipient_email: "alice@home.test",
    });
    expect(created).toMatchObject({ status: 201 });
    expect(ses.messages).toMatchObject([
      {
        to: ["alice@home.test"],
        configurationSet: "postern",
        tags: { "postern-verification": expect.any(String) },
      },
    ]);
    expect(await requestBy(api, "alice", "GET", await linkIn(ses))).toMatchObject({ status: 200 });
    const recipientIds = [created.body["recipient_id"]];
    expect(
      await requestBy(api, "alice", "POST", "/v1/aliases", { recipient_ids: recipientIds }),
    ).toMatchObject({
      status: 201,
    });
    expect(await requestBy(api, "bob", "GET", "/v1/aliases")).toMatchObject({ body: { aliases: [] } });
    const lines = linesOf(await api.stop());
    // On a busy machine, the first ones are slow.
    expect(lines.filter(({ msg }) => msg === "request" || msg === "slow request")).toMatchObject([
      { route: "/recipients", status: 201 },
      { route: "/recipients/verify", status: 200 },
      { route: "/aliases", status: 201 },
      { route: "/aliases", status: 200 },
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({ result: "sent", postern_mail_messages_total: [1] }),
    );
    const counted = lines.filter((line) => "postern_http_responses_total" in line);
    expect(counted.map(({ status }) => status)).toEqual(["2xx", "2xx", "2xx", "2xx"]);
  });

  test("has no account without the claims of the gateway, and leaves paths as its public URL has them", async () => {
    const api = await startFunction("api", {
      ...variables,
      POSTERN_PUBLIC_URL: "https://postern.test/mail/",
    });
    const { invoke } = api;
    const unclaimed = {
      invoke: (event: unknown) => invoke({ ...Object(event), requestContext: http(event) }),
    };
    expect(await requestBy(unclaimed, "alice", "GET", "/v1/aliases")).toMatchObject({ status: 401 });
    expect(await requestBy(api, "alice", "GET", "/mail/v1/aliases")).toMatchObject({ status: 200 });
    expect(await requestBy(api, "alice", "GET", "/v1/aliases")).toMatchObject({ status: 200 });
  });

  test("answers 503 while DynamoDB is down, which it logs, and 200 again", async () => {
    const forwarder = await startForwarder();
    onTestFinished(forwarder.stop);
    const target = new URL(variables["POSTERN_DYNAMODB_ENDPOINT"] ?? "").port;
    const api = await startFunction("api", {
      ...variables,
      POSTERN_DYNAMODB_ENDPOINT: `http://127.0.0.1:${forwarder.port}`,
    });
    forwarder.leadTo(1);
    expect(await requestBy(api, "alice", "GET", "/aliases")).toMatchObject({ status: 503 });
    forwarder.leadTo(Number(target));
    expect(await requestBy(api, "alice", "GET", "/aliases")).toMatchObject({ status: 200 });
    const lines = linesOf(await api.stop());
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "request failed", cause: expect.stringMatching(/^dynamodb /) }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ status: "503", postern_http_responses_total: [1] }),
    );
  });
});

const http = (event: unknown) => {
  const { requestContext } = z.looseObject({ requestContext: z.looseObject({}) }).parse(event);
  return { ...requestContext, authorizer: undefined };
};

describe("secrets", () => {
  const ARN = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:";

  /** A stand-in for Secrets Manager, with these secrets by their names. */
  const startSecrets = async (secrets: Readonly<Record<string, string>>) => {
    const server = createServer(async (request, response) => {
      const { SecretId } = z.object({ SecretId: z.string() }).parse(JSON.parse(await text(request)));
      const SecretString = secrets[SecretId.slice(ARN.length)];
      const isKnown = request.headers["x-amz-target"] === "secretsmanager.GetSecretValue" && SecretString;
      const name = { "x-amzn-errortype": "ResourceNotFoundException" };
      response.writeHead(isKnown ? 200 : 400, isKnown ? {} : name).end(JSON.stringify({ SecretString }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = z.object({ port: z.number() }).parse(server.address());
    return { AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${address.port}` };
  };

  test("are read from Secrets Manager where a variable names one, and links of both are known", async () => {
    const [older, newer] = ["o".repeat(40), "n".repeat(40)];
    const manager = await startSecrets({ old: older, both: `${newer},${older}` });
    const { POSTERN_LINK_SECRET: _, ...others } = variables;
    const ses = await startFakeSes();
    onTestFinished(ses.close);
    const named = (secret: string) => ({
      ...others,
      ...manager,
      AWS_ENDPOINT_URL_SESV2: ses.endpoint,
      POSTERN_LINK_SECRET_ARN: `${ARN}${secret}`,
      POSTERN_MAILBOX_SECRET_ARN: `${ARN}old`,
    });
    const before = await startFunction("api", named("old"));
    const email = { recipient_email: "alice@home.test" };
    expect(await requestBy(before, "alice", "POST", "/recipients", email)).toMatchObject({ status: 201 });
    const after = await startFunction("api", named("both"));
    const path = await linkIn(ses);
    expect(await requestBy(after, "alice", "GET", path)).toMatchObject({
      status: 200,
      body: { verified: true },
    });
    for (const output of [await before.stop(), await after.stop()]) {
      expect(output).not.toMatch(/o{40}|n{40}/);
    }
  });

  test.each([
    [{ POSTERN_LINK_SECRET: "" }, "names a secret that cannot be read (ResourceNotFoundException)"],
    [{}, "and POSTERN_LINK_SECRET cannot both be set"],
    [
      { POSTERN_LINK_SECRET: "", POSTERN_LINK_SECRET_FILE: "/nowhere" },
      "and POSTERN_LINK_SECRET_FILE cannot both be set",
    ],
  ])("that cannot be read are a reason not to start: %j", async (changes, problem) => {
    const manager = await startSecrets({});
    const named = { ...variables, ...manager, ...changes, POSTERN_LINK_SECRET_ARN: `${ARN}unknown` };
    const failing = await startFunction("api", named);
    expect(await failing.invoke({})).toEqual({
      error: expect.objectContaining({ errorMessage: `POSTERN_LINK_SECRET_ARN ${problem}` }),
    });
  });

  test("with a wrong value are named by the variable that is set", async () => {
    const manager = await startSecrets({ wrong: `${"n".repeat(40)},short` });
    const named = {
      ...variables,
      ...manager,
      POSTERN_LINK_SECRET: "",
      POSTERN_LINK_SECRET_ARN: `${ARN}wrong`,
    };
    const refusing = await startFunction("api", { ...named, POSTERN_ISSUER: "" });
    expect(await refusing.invoke({})).toEqual({
      error: expect.objectContaining({
        errorMessage:
          "The configuration is invalid: POSTERN_ISSUER is required; POSTERN_LINK_SECRET_ARN names a secret whose value must be at least 32 bytes long (secret 2 is shorter)",
      }),
    });
  });
});

describe.each(["api", "events", "outcomes"] as const)("the function %s", (handler) => {
  test("that is configured wrongly says so in one line, and each invocation fails with that", async () => {
    const wrong = { ...variables, POSTERN_STORE: "sqlite", POSTERN_ISSUER: "" };
    const refusing = await startFunction(handler, wrong);
    const errorMessage =
      "The configuration is invalid: POSTERN_STORE must be dynamodb in a function; POSTERN_ISSUER is required";
    for (let count = 0; count < 2; count += 1) {
      expect(await refusing.invoke({})).toEqual({ error: expect.objectContaining({ errorMessage }) });
    }
    expect(linesOf(await refusing.stop())).toEqual([
      expect.objectContaining({ level: 60, msg: errorMessage }),
    ]);
  });

  test("names the variables that only a server uses", async () => {
    const started = await startFunction(handler, { ...variables, HOST: "0.0.0.0", POSTERN_MX_PORT: "25" });
    await started.invoke({});
    expect(linesOf(await started.stop())[0]).toMatchObject({
      variables: ["HOST", "POSTERN_MX_PORT"],
      msg: "functions do not use these variables",
    });
  });
});

describe("events", () => {
  test("are sent to webhooks, never in private networks, and the log says how many", async () => {
    const receiver = await newReceiver();
    const settings = { ...variables, POSTERN_DNS: receiver.dns, NODE_EXTRA_CA_CERTS: receiver.caFile };
    const [api, events] = [
      await startFunction("api", settings),
      await startFunction("events", settings, { timeoutMs: 60_000 }),
    ];
    const recipient_ids = [await adoptRecipient(variables, "alice")];
    const webhook = { url: receiver.url, events: ["alias.created"] };
    expect(await requestBy(api, "alice", "POST", "/webhooks", webhook)).toMatchObject({ status: 201 });
    const nothing = { turns: 0, delivered: 0, failed: 0, expired: 0 };
    expect(await events.invoke({})).toEqual({ returned: nothing });
    expect(await requestBy(api, "alice", "POST", "/aliases", { recipient_ids })).toMatchObject({
      status: 201,
    });
    const tried = { ...nothing, turns: 1, failed: 1 };
    expect(await events.invoke({})).toEqual({ returned: tried });
    const lines = linesOf(await events.stop());
    expect(lines.filter(({ msg }) => msg === "events sent")).toMatchObject([nothing, tried]);
    expect(lines).toContainEqual(
      expect.objectContaining({ outcome: "failed", postern_webhook_events_total: [1] }),
    );
    expect(receiver.received).toEqual([]);
  });

  test("need more time than what a turn can take to end", async () => {
    const events = await startFunction("events", variables, { timeoutMs: 20_000 });
    expect(await events.invoke({})).toEqual({
      error: expect.objectContaining({
        errorMessage: "There is no time to send events: set the function's timeout to 50 seconds",
      }),
    });
  });
});

describe("outcomes", () => {
  /** The envelope sender of a copy in this spool, which a server with these variables has sent. */
  const senderOf = async (spool: Spool): Promise<string> => {
    const secrets = nodePorts({ linkSecrets: [variables["POSTERN_LINK_SECRET"] ?? ""] });
    const domain = valueOf(parseDomain("alias.example.com"));
    const { envelope } = valueOf(await beginBounceProbe({ ...secrets, spool }, domain));
    return envelope.from ?? expect.unreachable("copies have one");
  };
  const batchOf = (...bodies: readonly string[]) => ({
    Records: bodies.map((body, n) => ({ messageId: `message-${n}`, body })),
  });

  test("are kept for the server that has sent the mail; what cannot be read or stored stays in the queue", async () => {
    const spool = memorySpool({ limit: 1_000_000 });
    const senders = [await senderOf(spool), await senderOf(spool)];
    const forwarder = await startForwarder();
    onTestFinished(forwarder.stop);
    const outcomes = await startFunction("outcomes", {
      ...variables,
      POSTERN_DYNAMODB_ENDPOINT: `http://127.0.0.1:${forwarder.port}`,
    });
    const forged = "b-aaaaaaaaaaaaaaaaaaaaaaaaaa-aaaaaaaaaaaaaa@alias.example.com";
    const batch = batchOf(
      ...[...senders, forged].map((source) => JSON.stringify(delivery({ source }))),
      "no event",
    );
    const named = (...numbers: readonly number[]) => ({
      returned: { batchItemFailures: numbers.map((n) => ({ itemIdentifier: `message-${n}` })) },
    });
    forwarder.leadTo(1);
    expect(await outcomes.invoke(batch)).toEqual(named(0, 1, 3));
    forwarder.leadTo(Number(new URL(variables["POSTERN_DYNAMODB_ENDPOINT"] ?? "").port));
    for (let count = 0; count < 2; count += 1) expect(await outcomes.invoke(batch)).toEqual(named(3));

    const store = await openTable(variables);
    const kept = valueOf(await store.handedReports.list(markOfSpool(spool.id), 10));
    expect(kept.map(({ outcome, copy }) => [outcome, copy]).toSorted()).toEqual(
      senders.map((sender) => ["delivered", sender.split("-")[1]]).toSorted(),
    );
    const lines = linesOf(await outcomes.stop());
    expect(lines).toContainEqual(
      expect.objectContaining({ messageId: "message-3", reason: "it is not JSON" }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: "handed_over", postern_mail_reports_total: [2] }),
    );
  });

  test("are taken from nothing but a queue", async () => {
    const outcomes = await startFunction("outcomes", variables);
    expect(await outcomes.invoke({ Records: [{ Sns: {} }] })).toMatchObject({
      error: { errorMessage: "The event is not a batch of messages of SQS" },
    });
  });
});

describe("after a freeze", () => {
  /** A function whose connections to DynamoDB lead through a forwarder. */
  const start = async (changes: Record<string, string> = {}) => {
    const forwarder = await startForwarder();
    onTestFinished(forwarder.stop);
    forwarder.leadTo(Number(new URL(variables["POSTERN_DYNAMODB_ENDPOINT"] ?? "").port));
    const endpoint = { POSTERN_DYNAMODB_ENDPOINT: `http://127.0.0.1:${forwarder.port}` };
    const api = await startFunction("api", { ...variables, ...endpoint, ...changes });
    // Two calls of the store at the same time have two connections.
    expect(await requestBy(api, "alice", "GET", "/health")).toMatchObject({ status: 200 });
    return { api, forwarder };
  };
  /** The answer to a request that arrives as soon as the process continues. */
  const askFrozen = (api: LambdaFunction, path: string) => {
    const answer = requestBy(api, "alice", "GET", path);
    api.thaw();
    return answer;
  };

  test("in which connections were closed, the first request succeeds", async () => {
    const { api, forwarder } = await start();
    for (let count = 0; count < 10; count += 1) {
      api.freeze();
      forwarder.cut();
      expect(await askFrozen(api, count % 2 === 0 ? "/health" : "/aliases")).toMatchObject({ status: 200 });
    }
  });

  test("in which connections were forgotten, the first request is sent over new ones", async () => {
    const { api, forwarder } = await start();
    api.freeze();
    forwarder.forget();
    // Longer than connections may be idle.
    await setTimeout(5_500);
    expect(await askFrozen(api, "/health")).toMatchObject({ status: 200 });
    expect(forwarder.lost()).toBe(0);
    expect(linesOf(await api.stop()).filter((line) => "postern_store_failures_total" in line)).toEqual([]);
  });

  test.each(["cut", "forget"] as const)(
    "in which Redis lost its connection (%s), the first request succeeds",
    async (lose) => {
      const [valkey, redis] = [await startValkey(), await startForwarder()];
      onTestFinished(valkey.kill);
      onTestFinished(redis.stop);
      redis.leadTo(Number(new URL(valkey.url).port));
      const limit = { POSTERN_REDIS_URL: `redis://127.0.0.1:${redis.port}`, POSTERN_RATE_LIMIT: "100" };
      const { api } = await start(limit);
      expect(await requestBy(api, "alice", "GET", "/aliases")).toMatchObject({ status: 200 });
      api.freeze();
      redis[lose]();
      expect(await askFrozen(api, "/aliases")).toMatchObject({ status: 200 });
    },
  );
});
