import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { freePort } from "@postern/test-support/free-port";
import { sharedPostgres } from "@postern/test-support/shared-postgres";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startServerProcess } from "./support/server-process.ts";

const Created = z.object({ key_id: z.string(), secret: z.string() });
const Words = z.object({ error: z.string(), message: z.string(), code: z.string() });

/** Servers with these settings, one for each, that also serve programs with keys. */
const start = async (...settings: readonly Record<string, string>[]) => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const { token } = provider;
  const servers = await Promise.all(
    settings.map(async (variables) => {
      const keysUrl = `http://127.0.0.1:${await freePort()}`;
      const server = await startServerProcess({
        ...environment,
        ...variables,
        POSTERN_ISSUER: provider.issuer,
        POSTERN_KEYS_PORT: new URL(keysUrl).port,
        POSTERN_KEYS_URL: keysUrl,
      });
      onTestFinished(async () => void (await server.stop()));
      const send = async (
        method: string,
        url: string,
        headers: Record<string, string>,
        body?: unknown,
      ): Promise<{ readonly status: number; readonly body: string }> => {
        const type = { "content-type": "application/json" };
        const response = await fetch(url, {
          method,
          headers: { ...headers, ...(body !== undefined && type) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: await response.text() };
      };
      return {
        ...server,
        keysUrl,
        /** Calls the API as a person. */
        call: (method: string, path: string, body?: unknown) =>
          send(method, server.url + path, { authorization: `Bearer ${token}` }, body),
        /** Calls that for programs. */
        use: (key: string, path: string) => send("GET", keysUrl + path, { authentication: key }),
      };
    }),
  );
  return { servers, token };
};

const Line = z.object({
  listener: z.string().optional(),
  status: z.int().optional(),
  reason: z.string().optional(),
});

const KEY = { name: "private name", scopes: ["aliases:create", "aliases:read"] };

test("a key that is revoked on one of two servers is soon refused by both", async () => {
  const url = await (await sharedPostgres()).newDatabase();
  const store = { POSTERN_STORE: "postgres", POSTERN_POSTGRES_URL: url };
  const {
    servers: [here = expect.unreachable(), there = expect.unreachable()],
  } = await start(store, store);
  const created = await here.call("POST", "/keys", KEY);
  expect(created.status).toBe(201);
  const { secret, key_id } = Created.parse(JSON.parse(created.body));
  const statuses = () =>
    Promise.all([here, there].map(async ({ use }) => (await use(secret, "/aliases")).status));
  expect(await statuses()).toEqual([200, 200]);
  expect(await there.call("DELETE", `/keys/${key_id}`)).toMatchObject({ status: 204 });
  await expect.poll(statuses, { interval: 500 }).toEqual([401, 401]);
});

test("each listener takes its own, and neither the log nor an error has a key", async () => {
  const {
    servers: [server = expect.unreachable()],
    token,
  } = await start({ POSTERN_LOG_LEVEL: "trace", POSTERN_ACCESS_LOG: "true" });
  const { call, use, url, keysUrl } = server;
  const created = await call("POST", "/keys", KEY);
  const { secret, key_id } = Created.parse(JSON.parse(created.body));
  expect(JSON.parse((await call("GET", "/service")).body)).toMatchObject({ keys_url: keysUrl });

  const mistyped = `${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`;
  const answers = [
    [200, await use(secret, "/aliases?q=private-query")],
    [403, await use(secret, "/recipients")],
    [404, await use(secret, `/private-path/${secret}`)],
    [400, await use(secret, `/aliases?key=${secret}`)],
    [401, await use(mistyped, "/aliases")],
    [401, await use(token, "/aliases")],
  ] as const;
  for (const [status, answer] of answers) {
    expect(answer).toMatchObject({ status });
    expect(answer.body.replaceAll(`"instance":"/private-path/${secret}"`, "")).not.toContain(secret);
    if (status > 400) expect(Words.parse(JSON.parse(answer.body)).message).toMatch(/^[A-Z].*\.$/);
  }
  const refused = await fetch(`${url}/aliases`, { headers: { authentication: secret } });
  expect([refused.status, await refused.json()]).toEqual([401, { message: "Unauthorized" }]);

  const output = await server.stop();
  const lines = output
    .trim()
    .split("\n")
    .map((line) => Line.parse(JSON.parse(line)));
  const ofPrograms = lines.filter(({ listener }) => listener === "keys");
  expect(new Set(ofPrograms.map(({ status }) => status))).toEqual(new Set(answers.map(([status]) => status)));
  expect(ofPrograms.flatMap(({ reason }) => reason ?? [])).toContain("api_key");
  expect(output).toContain(`"keys":"${keysUrl}"`);
  for (const private_ of ["private", secret.slice(3, 20), secret.slice(20), key_id, token])
    expect(output).not.toContain(private_);
});

test("a server that stops finishes requests on both listeners", async () => {
  const {
    servers: [server = expect.unreachable()],
    token,
  } = await start({});
  const { secret } = Created.parse(JSON.parse((await server.call("POST", "/keys", KEY)).body));
  const body = JSON.stringify({ recipient_ids: ["unknown"] });
  const requests = [
    [server.url, token],
    [server.keysUrl, secret],
  ].map(([url = "", credential]) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(
      `POST /aliases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    const answer = text(socket);
    // The invitation to send the body: the request is under way.
    const invited = new Promise((resolve) => socket.once("data", resolve));
    return { socket, answer, invited };
  });
  await Promise.all(requests.map(({ invited }) => invited));
  const stopped = server.stop();
  for (const url of [server.url, server.keysUrl])
    await expect
      .poll(() =>
        fetch(`${url}/health`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
  for (const { socket } of requests) socket.write(body);
  for (const { answer } of requests)
    expect(await answer).toMatch(/HTTP\/1\.1 422 .*"recipients_ineligible"/s);
  expect(await stopped).toMatch(/"level":30.*"msg":"stopped"/);
});
