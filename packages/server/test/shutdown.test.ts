import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@postern/test-support/free-port";
import { expect, onTestFinished, test } from "vitest";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { ended, linesOf, run, serving, useSilentIssuer } from "./support/main-process.ts";

const environment = await useSilentIssuer();

test.each(["SIGTERM", "SIGINT"] as const)("serves until %s, then ends with status 0", async (signal) => {
  const server = run(environment);
  const url = await serving(server);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);

  const health = await fetch(`${url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
  const aliases = await fetch(`${url}/aliases`);
  expect([aliases.status, await aliases.json()]).toEqual([401, { message: "Unauthorized" }]);

  const end = ended(server);
  server.kill(signal);
  const { output, ...others } = await end;
  expect(others).toEqual({ errors: "", status: 0, signal: null });
  expect(linesOf(output)).toEqual([
    expect.objectContaining({ msg: "request refused", level: 30, reason: "missing" }),
    expect.objectContaining({ msg: "stopping", level: 30, signal }),
    expect.objectContaining({ msg: "stopped", level: 30, milliseconds: expect.any(Number) }),
  ]);
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test.each(["SIGTERM", "SIGHUP"] as const)(
  "%s during the start does not end it before it has said what is wrong",
  async (signal) => {
    const dynamoDb = createServer().listen(0, "127.0.0.1");
    await once(dynamoDb, "listening");
    onTestFinished(() => void dynamoDb.close());
    const { port } = dynamoDb.address() as AddressInfo;
    const server = run({
      ...environment,
      POSTERN_STORE: "dynamodb",
      POSTERN_DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}`,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    });
    const end = ended(server);
    const [, response] = await once(dynamoDb, "request");
    server.kill(signal);
    // Long enough for the server to notice the signal, unless the machine is busy.
    await setTimeout(100);
    response.writeHead(400).end(JSON.stringify({ __type: "AccessDeniedException" }));
    expect(await end).toEqual({
      output: "",
      errors: `The DynamoDB table postern in eu-central-1 at http://127.0.0.1:${port} refuses the credentials (AccessDeniedException): allow what docs/dynamodb.md lists under Permissions.\n`,
      status: 1,
      signal: null,
    });
  },
);

test.each(["SIGTERM", "SIGHUP"] as const)(
  "%s during a start that fails unexpectedly adds nothing to the one line about the failure",
  async (signal) => {
    const code = `import { Server } from "node:net";
  Server.prototype.listen = function () {
    process.kill(process.pid, "${signal}");
    setTimeout(() => this.emit("error", new RangeError("ada@private.test")), 100);
    return this;
  };`;
    const failing = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    expect(await ended(run({ ...environment, NODE_OPTIONS: failing }))).toMatchObject({
      errors:
        "Unexpected error (RangeError). Run it again with POSTERN_LOG_LEVEL=debug to see where, and report it.\n",
      status: 1,
    });
  },
);

test("a start that fails unexpectedly ends it, even though it has opened the mail plane", async () => {
  const { variables } = await newMailEnvironment();
  const code = `import { Server } from "node:net";
  Server.prototype.listen = function () {
    setImmediate(() => this.emit("error", new RangeError("ada@private.test")));
    return this;
  };`;
  const failing = `--import=data:text/javascript,${encodeURIComponent(code)}`;
  expect(await ended(run({ ...variables, NODE_OPTIONS: failing }))).toEqual({
    output: "",
    errors:
      "Unexpected error (RangeError). Run it again with POSTERN_LOG_LEVEL=debug to see where, and report it.\n",
    status: 1,
    signal: null,
  });
});

/** A server with a request that waits for the issuer's keys, which come once `provider.release` is called. */
const withRunningRequest = async () => {
  const provider = await startIdentityProvider();
  onTestFinished(provider.stop);
  const metricsPort = await freePort();
  const variables = { POSTERN_ISSUER: provider.issuer, POSTERN_METRICS_PORT: `${metricsPort}` };
  const server = run({ ...environment, ...variables });
  const url = await serving(server);
  let log = "";
  server.stdout.on("data", (chunk) => {
    log += chunk;
  });
  const running = fetch(`${url}/aliases`, { headers: { authorization: `Bearer ${provider.token}` } });
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  await expect.poll(metrics).toContain("postern_http_requests_in_flight 1\n");
  return { provider, server, url, running, log: () => log };
};

test("a second signal ends it at once, even though a request is running", async () => {
  const { server, running, log } = await withRunningRequest();
  const cut = expect(running).rejects.toThrow("fetch failed");
  const exit = once(server, "exit");
  server.kill("SIGTERM");
  await expect.poll(log).toContain('"stopping"');
  expect(server.exitCode).toBeNull();
  server.kill("SIGINT");
  expect(await exit).toEqual([null, "SIGINT"]);
  await cut;
  expect(log()).not.toContain('"stopped"');
});

test("finishes running requests before it ends, and accepts no new ones", async () => {
  const { provider, server, url, running, log } = await withRunningRequest();
  const closed = once(server, "close");
  server.kill("SIGTERM");
  await expect
    .poll(() =>
      fetch(`${url}/health`).then(
        () => "responds",
        () => "refuses",
      ),
    )
    .toBe("refuses");
  expect(server.exitCode).toBeNull();
  provider.release();

  const response = await running;
  expect([response.status, await response.json()]).toEqual([200, { aliases: [], next_cursor: null }]);
  expect(await closed).toEqual([0, null]);
  // The client would keep the connection open; the server must not wait for that, and then cut it.
  expect(linesOf(log()).at(-1)).toMatchObject({ msg: "stopped", level: 30 });
});
