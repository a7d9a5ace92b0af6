import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:http2";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { freePort } from "../../packages/test-support/src/free-port.ts";
import { until } from "../../packages/test-support/src/until.ts";
import { block } from "../../scripts/document-blocks.ts";
import { newOperator, succeeds } from "./operator.ts";

/*
 * The files in nginx from the tarball, in front of its server, with other ports and a certificate of their own.
 */

const FILE = "/etc/postern/postern.env";
const HOST = "postern.example.com";
const KEYS_HOST = "keys.example.com";
const WEB_HOST = "mail.example.com";

let operator: Awaited<ReturnType<typeof newOperator>>;
let nginx: ReturnType<typeof spawn>;
let [plain, tls, keysPlain, keysTls, webPlain, webTls, filesPlain, filesTls] = [0, 0, 0, 0, 0, 0, 0, 0];

beforeAll(async () => {
  operator = await newOperator();
  const { machine } = operator;
  await operator.install();
  await succeeds(machine, block("docs/operations.md", "Under systemd"));
  const [keysPort, webPort] = [`${await freePort()}`, `${await freePort()}`];
  operator.configure(FILE, {
    POSTERN_KEYS_PORT: keysPort,
    POSTERN_KEYS_URL: "https://keys.postern.test",
    POSTERN_WEB_PORT: webPort,
    POSTERN_WEB_URL: "https://mail.postern.test",
    POSTERN_TRUSTED_PROXIES: "127.0.0.1",
    POSTERN_RATE_LIMIT: "30",
    POSTERN_CORS_ORIGINS: "https://app.example.com",
  });
  await succeeds(machine, "systemctl start postern");

  [plain = 0, tls = 0, keysPlain = 0, keysTls = 0, webPlain = 0, webTls = 0, filesPlain = 0, filesTls = 0] =
    await Promise.all(Array.from({ length: 8 }, () => freePort()));
  const [key, certificate] = [join(machine.root, "key.pem"), join(machine.root, "certificate.pem")];
  const names = `subjectAltName=DNS:${HOST},DNS:${KEYS_HOST},DNS:${WEB_HOST}`;
  const subject = ["-subj", `/CN=${HOST}`, "-addext", names];
  const options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...subject];
  execFileSync("openssl", ["req", ...options, "-keyout", key, "-out", certificate], { stdio: "pipe" });
  const confOf = (name: string, listening: { readonly plain: number; readonly tls: number }) =>
    readFileSync(machine.path(`/opt/postern/nginx/${name}.conf`), "utf8")
      .replace("listen 80;", `listen 127.0.0.1:${listening.plain};`)
      .replace("listen 443 ssl http2;", `listen 127.0.0.1:${listening.tls} ssl http2;`)
      .replaceAll(/^ *listen \[::\].*\n/gm, "")
      .replace("/etc/ssl/postern/fullchain.pem", certificate)
      .replace("/etc/ssl/private/postern.pem", key)
      .replace(/\/var\/log\/nginx\/.*\.log/, join(machine.root, `nginx-${name}.log`));
  const conf = [
    confOf("postern", { plain, tls }).replace("127.0.0.1:8080", `127.0.0.1:${operator.variables.PORT}`),
    confOf("postern-keys", { plain: keysPlain, tls: keysTls }).replace(
      "127.0.0.1:8081",
      `127.0.0.1:${keysPort}`,
    ),
    confOf("postern-web", { plain: webPlain, tls: webTls }).replace("127.0.0.1:8090", `127.0.0.1:${webPort}`),
    confOf("postern-web-files", { plain: filesPlain, tls: filesTls })
      .replace("/opt/postern/web", machine.path("/opt/postern/web"))
      .replace("root /etc/postern-web;", `root ${join(machine.root, "settings")};`),
  ].join("\n");
  mkdirSync(join(machine.root, "nginx"));
  mkdirSync(join(machine.root, "settings"));
  writeFileSync(join(machine.root, "settings/settings.json"), SETTINGS);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(machine.root, "nginx", kind)};`,
  );
  const main = `daemon off; user root; pid ${machine.root}/nginx/pid; error_log ${machine.root}/nginx/error.log;
    events {} http { ${temporary.join(" ")} ${conf} }`;
  writeFileSync(join(machine.root, "nginx.conf"), main);
  nginx = spawn("nginx", ["-p", join(machine.root, "nginx"), "-c", join(machine.root, "nginx.conf")], {
    stdio: "ignore",
  });
  await until("nginx listens", () =>
    fetch(`http://127.0.0.1:${plain}/`, { redirect: "manual" }).catch(() => null),
  );
});
afterAll(async () => {
  const ended = once(nginx, "exit");
  nginx.kill("SIGTERM");
  await ended;
  await operator.stop();
});

/** As in the comment in postern-web-files.conf. */
const SETTINGS =
  '{"api":"https://postern.example.com/v1","issuer":"https://id.example.com","client":"1example23456789","sign_in":["oidc"]}';

/** Sends requests over one HTTP/2 connection. */
const overHttp2 = async <T>(
  use: (request: Send) => Promise<T>,
  { port, host } = { port: tls, host: HOST },
): Promise<T> => {
  const ca = readFileSync(join(operator.machine.root, "certificate.pem"));
  const session = connect(`https://127.0.0.1:${port}`, { ca, servername: host });
  try {
    return await use(async (headers, body) => {
      const stream = session.request({ ":authority": host, ...headers }, { endStream: body === undefined });
      if (body !== undefined) stream.end(body);
      const [responded] = await once(stream, "response");
      return { headers: responded, body: await text(stream) };
    });
  } finally {
    session.close();
  }
};
type Send = (
  headers: Record<string, string>,
  body?: string,
) => Promise<{ readonly headers: Record<string, string | number>; readonly body: string }>;

test("plain HTTP is redirected to the same path with TLS", async () => {
  // `fetch` does not send another Host.
  const request = get({ port: plain, path: "/aliases?q=1", headers: { host: HOST } });
  const [response] = await once(request, "response");
  response.resume();
  expect([response.statusCode, response.headers.location]).toEqual([308, `https://${HOST}/aliases?q=1`]);
});

test("HTTP/2, with the client's request id or one of nginx's", () =>
  overHttp2(async (send) => {
    const { headers, body } = await send({ ":path": "/health", "x-request-id": "from-the-client" });
    expect(headers).toMatchObject({ ":status": 200, "x-request-id": "from-the-client" });
    expect(JSON.parse(body)).toEqual({ status: "ok" });
    expect((await send({ ":path": "/health" })).headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
  }));

test("preflights, and paths that nginx could have decoded or merged", () =>
  overHttp2(async (send) => {
    const preflight = await send({
      ":method": "OPTIONS",
      ":path": "/v1/aliases",
      origin: "https://app.example.com",
      "access-control-request-method": "POST",
    });
    expect(preflight.headers).toMatchObject({
      ":status": 204,
      "access-control-allow-origin": "https://app.example.com",
    });
    const { headers } = await send({ ":path": "//v1//aliases", authorization: `Bearer ${operator.token}` });
    expect(headers[":status"]).toBe(404);
  }));

test("tokens of 8 KiB and bodies of 64 KiB reach Postern, and larger bodies get 413", () =>
  overHttp2(async (send) => {
    const authorization = `Bearer ${operator.token}`;
    const post = { ":method": "POST", ":path": "/v1/recipients", "content-type": "application/json" };
    const long = await send({ ":path": "/v1/aliases", authorization: `Bearer ${"a".repeat(8 * 1024)}` });
    expect([long.headers[":status"], JSON.parse(long.body)]).toEqual([401, { message: "Unauthorized" }]);
    const sized = (bytes: number) =>
      JSON.stringify({ recipient_email: "" }).replace('""', `"${"a".repeat(bytes - 22)}"`);
    expect(sized(64 * 1024)).toHaveLength(64 * 1024);
    const fits = await send({ ...post, authorization }, sized(64 * 1024));
    expect([fits.headers[":status"], JSON.parse(fits.body)]).toMatchObject([
      400,
      { code: "invalid_request" },
    ]);
    for (const bytes of [64 * 1024 + 1, 100_000]) {
      expect((await send({ ...post, authorization }, sized(bytes))).headers[":status"]).toBe(413);
    }
  }));

test("50 connections at once", async () => {
  const statuses = await Promise.all(
    Array.from({ length: 50 }, () =>
      overHttp2(async (send) => (await send({ ":path": "/health" })).headers[":status"]),
    ),
  );
  expect(statuses).toEqual(Array.from({ length: 50 }, () => 200));
});

/** Password managers show one of these, or both, and nothing else. */
const words = { error: expect.stringMatching(/^\w/), message: expect.stringMatching(/\w \w.*\.$/) };

test("programs with keys: what they send arrives as it is, and whatever fails is said in words", async () => {
  const request = get({ port: keysPlain, path: "/api/v1/aliases", headers: { host: KEYS_HOST } });
  const [refused] = await once(request, "response");
  expect([refused.statusCode, refused.headers["content-type"], JSON.parse(await text(refused))]).toEqual([
    400,
    "application/json",
    words,
  ]);

  await operator.createAlias("me@home.example.org", "shop@alias.example.com");
  const created = await operator.request("POST", "/v1/keys", { name: "Manager", scopes: ["aliases:create"] });
  const { secret } = z.object({ secret: z.string() }).parse(created);
  await overHttp2(
    async (send) => {
      const made = await send({
        ":method": "POST",
        ":path": "//api/alias/random/new?hostname=https://shop.example",
        authentication: secret,
      });
      expect([made.headers[":status"], JSON.parse(made.body)]).toMatchObject([
        201,
        { alias: expect.stringMatching(/@alias\.example\.com$/) },
      ]);
      const guessed = await send({ ":path": "/aliases", authorization: "Bearer pk_wrong" });
      expect([guessed.headers[":status"], JSON.parse(guessed.body)]).toMatchObject([401, words]);
    },
    { port: keysTls, host: KEYS_HOST },
  );
});

const policy = (calls: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${calls}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

describe("the browser app,", () => {
  test.each(["proxied", "served as files"])("%s", (how) =>
    overHttp2(
      async (send) => {
        const { POSTERN_ISSUER: issuer, POSTERN_PUBLIC_URL: api } = operator.variables;
        const origins =
          how === "proxied" ? [api, issuer] : ["https://postern.example.com", "https://id.example.com"];
        const always = {
          "content-security-policy": policy(origins.map((url) => new URL(url).origin).join(" ")),
          "cross-origin-opener-policy": "same-origin",
          "referrer-policy": "no-referrer",
          "strict-transport-security": "max-age=31536000",
          "x-content-type-options": "nosniff",
        };
        const page = await send({ ":path": "/aliases/1?q=x.y" });
        expect(page.headers).toMatchObject({
          ...always,
          ":status": 200,
          "content-type": expect.stringMatching(/^text\/html/),
          "cache-control": "no-cache",
        });
        const [script = ""] = /\/assets\/[\w-]+\.js/.exec(page.body) ?? [];
        expect((await send({ ":path": script, "accept-encoding": "gzip, br" })).headers).toMatchObject({
          ...always,
          ":status": 200,
          "content-type": expect.stringMatching(/^text\/javascript/),
          "content-encoding": how === "proxied" ? "br" : "gzip",
          "cache-control": "public, max-age=31536000, immutable",
        });
        const settings = await send({ ":path": "/settings.json" });
        expect(settings.headers).toMatchObject({
          ...always,
          "content-type": expect.stringMatching(/^application\/json/),
          "cache-control": "no-cache",
        });
        expect(Object.keys(JSON.parse(settings.body))).toEqual(["api", "issuer", "client", "sign_in"]);
        for (const path of ["/assets/missing.js", "/assets/missing", "/favicon.ico"]) {
          const { headers, body } = await send({ ":path": path });
          expect(headers).toMatchObject({
            ...always,
            ":status": 404,
            "content-type": expect.stringMatching(/^text\/plain/),
            "cache-control": "no-cache",
          });
          expect(body).toBe("There is no such file.\n");
        }
      },
      { port: how === "proxied" ? webTls : filesTls, host: WEB_HOST },
    ),
  );

  test("served as files, gets no validators made of times that all releases have", () =>
    overHttp2(
      async (send) => {
        const { headers } = await send({ ":path": "/", "if-modified-since": new Date().toUTCString() });
        expect(headers[":status"]).toBe(200);
        expect(Object.keys(headers)).not.toContain("etag");
        expect(Object.keys(headers)).not.toContain("last-modified");
      },
      { port: filesTls, host: WEB_HOST },
    ));
});

test("a client does not evade the rate limit by claiming other addresses", () =>
  overHttp2(async (send) => {
    const statuses = [];
    for (let n = 0; n < 40; n++) {
      const { headers } = await send({
        ":path": "/v1/recipients/verify?token=none",
        "x-forwarded-for": `192.0.2.${n}`,
      });
      statuses.push(headers[":status"]);
    }
    expect(statuses[0]).not.toBe(429);
    expect(statuses.at(-1)).toBe(429);
  }));

test("programs with keys: while the server restarts", async () => {
  await succeeds(operator.machine, "systemctl stop postern");
  await overHttp2(
    async (send) => {
      const { headers, body } = await send({ ":path": "/aliases", authorization: "Bearer pk_1" });
      expect([headers[":status"], headers["retry-after"], JSON.parse(body)]).toEqual([503, "5", words]);
    },
    { port: keysTls, host: KEYS_HOST },
  );
});
