import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { dirname, join, relative } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { runInNewContext } from "node:vm";
import { brotliDecompressSync } from "node:zlib";
import { main } from "@postern/test-support/built-server";
import { freePort } from "@postern/test-support/free-port";
import { newDirectory } from "@postern/test-support/new-directory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readWebFiles } from "../src/serve/web/web-files.ts";
import { contentSecurityPolicy } from "../src/serve/web/web-headers.ts";
import { environment } from "./support/environment.ts";
import { useSilentIssuer } from "./support/main-process.ts";
import { startServerProcess } from "./support/server-process.ts";

const RELEASE = join(dirname(main), "..");
const WEB = join(RELEASE, "web");
const built = (path: string): Buffer => readFileSync(join(WEB, path));
const paths = globSync("**/*", { cwd: WEB, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `/${relative(WEB, join(entry.parentPath, entry.name))}`)
  .filter((path) => !path.endsWith(".br"));
const script = paths.find((path) => path.endsWith(".js")) ?? expect.unreachable();

const variables = await useSilentIssuer();
const COGNITO = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf";
const HOSTED = "https://postern.auth.eu-central-1.amazoncognito.com";

let server: Awaited<ReturnType<typeof startServerProcess>>;
let origin = "";
beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  server = await startServerProcess({
    ...variables,
    POSTERN_AUDIENCE: "client, app",
    POSTERN_CORS_ORIGINS: "https://other.postern.test",
    POSTERN_WEB_PORT: `${port}`,
    POSTERN_WEB_CLIENT: "app",
    POSTERN_WEB_SIGN_IN: "srp, oidc",
    POSTERN_WEB_TOKEN_ORIGIN: HOSTED,
  });
});
afterAll(async () => {
  const output = await server.stop();
  expect(output).toContain(`"web":"${origin}"`);
});

type Headers = Readonly<Record<string, string>>;

/** Unlike `fetch`, sends the path as it is, and nothing that is not asked for. */
const send = async (path: string, headers: Headers = {}, method = "GET", body = "") => {
  const sent = request(origin, { path, method, headers, agent: false }).end(body);
  const [response] = await once(sent, "response");
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await buffer(response),
  };
};

/** What a connection gets for these bytes. */
const sendRaw = async (bytes: string): Promise<string> => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  socket.write(bytes, "latin1");
  return text(socket);
};

const securityHeaders = () => ({
  "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${server.url} ${variables.POSTERN_ISSUER} ${HOSTED}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
});

const PAGE = { "cache-control": "no-cache", "content-type": "text/html; charset=utf-8" };
const TEXT = { "cache-control": "no-cache", "content-type": "text/plain; charset=utf-8" };

test("every file, with its type, and how long it may be kept", async () => {
  expect(paths.length).toBeGreaterThan(3);
  for (const path of paths) {
    const { status, headers, body } = await send(path);
    expect([path, status, body.equals(built(path))]).toEqual([path, 200, true]);
    expect(headers).toEqual({
      ...securityHeaders(),
      "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      "content-length": `${built(path).length}`,
      "content-type": expect.stringMatching(
        /^(?:text\/(?:html|css|javascript|plain); charset=utf-8|image\/(?:svg\+xml|png)|font\/woff2)$/,
      ),
      connection: "close",
      date: expect.any(String),
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      vary: "accept-encoding",
    });
  }
  expect((await send(script)).headers["content-type"]).toBe("text/javascript; charset=utf-8");
});

test.each([
  ["br", true],
  ["gzip, deflate, br, zstd", true],
  ["gzip;q=1.0 , BR ; q=0.5", true],
  ["br;q=0", false],
  ["br;q=0.0, gzip", false],
  ["gzip", false],
  ["brotli", false],
  ["*", false],
  ["", false],
])("Accept-Encoding: %s", async (accepted, compressed) => {
  const plain = await send("/");
  const { headers, body } = await send("/", { "accept-encoding": accepted });
  expect(headers["content-encoding"]).toBe(compressed ? "br" : undefined);
  expect(headers["content-length"]).toBe(`${body.length}`);
  expect(headers).toMatchObject({ ...PAGE, vary: "accept-encoding" });
  expect((compressed ? brotliDecompressSync(body) : body).toString()).toBe(plain.body.toString());
  expect(headers.etag === plain.headers.etag).toBe(!compressed);
});

test("a long path gives the page", async () => {
  const { status, body } = await send(`/${"a".repeat(8000)}`);
  expect([status, body.equals(built("index.html"))]).toEqual([200, true]);
});

describe("a version that the browser has", () => {
  test("is not sent again, whether compressed or not", async () => {
    for (const accepted of [{}, { "accept-encoding": "br" }] as Headers[]) {
      const { etag = "" } = (await send(script, accepted)).headers;
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const again = await send(script, { ...accepted, "if-none-match": known }, method);
          expect([again.status, again.body.length]).toEqual([304, 0]);
          expect(again.headers).toEqual({
            ...securityHeaders(),
            "cache-control": "public, max-age=31536000, immutable",
            connection: "close",
            date: expect.any(String),
            etag,
            vary: "accept-encoding",
          });
        }
      }
    }
  });

  test("is sent if it is another, or of another encoding", async () => {
    const compressed = await send(script, { "accept-encoding": "br" });
    for (const known of ['"other"', compressed.headers.etag ?? "", "", "W/"])
      expect(await send(script, { "if-none-match": known })).toMatchObject({ status: 200 });
  });
});

test("HEAD: the same headers, and no body", async () => {
  for (const path of ["/", script, "/aliases/1", "/settings.json", "/assets/missing.js"]) {
    const [got, head] = [await send(path), await send(path, {}, "HEAD")];
    expect(head.body.length).toBe(0);
    expect({ ...head, headers: { ...head.headers, date: "" } }).toEqual({
      ...got,
      headers: { ...got.headers, date: "" },
      body: head.body,
    });
  }
});

test.each([
  "/",
  "/?x=1.js",
  "/aliases/unknown",
  "/signed-in?code=a.b&state=c",
  "/aliases?q=shop.example",
  "/v1/service",
  "/assets",
  "//",
  "//evil.example/x",
  "/..",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/..%2f..%2fetc%2fpasswd",
  "/%00",
  "/%",
  "/%ff%fe",
  "/\\..\\..\\etc",
  "/__proto__",
  "/constructor",
  "http://any.example/aliases/1",
  "http://any.example",
])("%s gives the page", async (path) => {
  const { status, headers, body } = await send(path);
  expect(status).toBe(200);
  expect(headers).toMatchObject({ ...securityHeaders(), ...PAGE });
  expect(body.equals(built("index.html"))).toBe(true);
});

test.each([
  "/assets/",
  "/assets/missing",
  "/assets/index-00000000.js",
  "/assets/../index",
  "/favicon.ico",
  "/deep/below/missing.css?v=1",
  "/../../etc/passwd.txt",
  "/index.html.br",
  "/%2e%2e/main.js",
  "http://any.example/missing.js",
])("%s is missing, which is said as text", async (path) => {
  const { status, headers, body } = await send(path, { accept: "text/html" });
  expect([status, `${body}`]).toEqual([404, "There is no such file.\n"]);
  expect(headers).toEqual({
    ...securityHeaders(),
    ...TEXT,
    "content-length": `${body.length}`,
    connection: "close",
    date: expect.any(String),
  });
});

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])(
  "%s is refused",
  async (method) => {
    const { status, headers, body } = await send("/", { origin: "https://app.postern.test" }, method, "body");
    expect([status, `${body}`]).toEqual([405, "Only GET and HEAD.\n"]);
    expect(headers).toEqual({
      ...securityHeaders(),
      ...TEXT,
      allow: "GET, HEAD",
      "content-length": `${body.length}`,
      connection: "close",
      date: expect.any(String),
    });
  },
);

test("settings.json says where the API is, and how to sign in", async () => {
  const { status, headers, body } = await send("/settings.json", { "accept-encoding": "br" });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    ...securityHeaders(),
    "cache-control": "no-cache",
    "content-type": "application/json; charset=utf-8",
  });
  expect(JSON.parse(`${body}`)).toEqual({
    api: `${server.url}/v1`,
    issuer: variables.POSTERN_ISSUER,
    client: "app",
    sign_in: ["srp", "oidc"],
  });
  expect(await send("/settings.json", { "if-none-match": headers.etag ?? "" })).toMatchObject({
    status: 304,
  });
});

test("what is no request, or is too long, gets the headers too", async () => {
  const host = "Host: any.example\r\nConnection: close\r\n\r\n";
  const requests: readonly (readonly [string, number])[] = [
    [`GET /\0 HTTP/1.1\r\n${host}`, 400],
    ["nonsense\r\n\r\n", 400],
    [`GET /${"a".repeat(20_000)} HTTP/1.1\r\n${host}`, 431],
    [`GET / HTTP/1.1\r\nExpect: magic\r\n${host}`, 200],
    ["GET /aliases HTTP/1.0\r\n\r\n", 200],
  ];
  for (const [bytes, status] of requests) {
    const answer = await sendRaw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    for (const [name, value] of Object.entries(securityHeaders()))
      expect(answer.toLowerCase()).toContain(`${name}: ${value.toLowerCase()}\r\n`);
  }
});

test("a connection cannot send many requests ahead of their answers", async () => {
  const answers = await sendRaw(`GET ${script} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2000)).catch(() => "");
  expect(answers.split("HTTP/1.1 200").length).toBeLessThan(2000);
  // It goes on serving others.
  expect(await send("/")).toMatchObject({ status: 200 });
});

describe("the API", () => {
  const call = (from: string, init: RequestInit = {}) =>
    fetch(`${server.url}/v1/aliases`, { ...init, headers: { ...init.headers, origin: from } });

  test("lets the app read its answers, and the other listed origins, and nobody else", async () => {
    for (const from of [origin, "https://other.postern.test"]) {
      const { status, headers } = await call(from);
      expect([status, headers.get("access-control-allow-origin")]).toEqual([401, from]);
      const exposed = headers.get("access-control-expose-headers")?.toLowerCase().split(", ");
      expect(exposed).toEqual(expect.arrayContaining(["etag", "retry-after", "x-request-id"]));
    }
    const foreign = await call("https://evil.postern.test");
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("lets the app send what it sends, and browsers remember that", async () => {
    const { status, headers } = await call(origin, {
      method: "OPTIONS",
      headers: {
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "authorization,content-type,idempotency-key,if-match",
      },
    });
    expect(status).toBe(204);
    const allowed = headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
    expect(allowed).toEqual(
      expect.arrayContaining(["authorization", "content-type", "idempotency-key", "if-match"]),
    );
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
      expect(headers.get("access-control-allow-methods")?.split(", ")).toContain(method);
    expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(60);
  });
});

test("a server that stops does not wait for a browser that keeps its connection", async () => {
  const other = await startServerProcess({
    ...environment,
    POSTERN_ISSUER: COGNITO,
    POSTERN_WEB_PORT: "0",
    POSTERN_WEB_URL: "https://mail.postern.test",
  });
  const url = /"web":"([^"]+)"/.exec(other.output())?.[1] ?? expect.unreachable();
  const settings = await fetch(`${url}/settings.json`);
  expect(await settings.json()).toMatchObject({ issuer: COGNITO, client: "client", sign_in: ["srp"] });
  expect(settings.headers.get("content-security-policy")).toContain(
    `; connect-src 'self' ${other.url} https://cognito-idp.eu-central-1.amazonaws.com; `,
  );
  const preflight = await fetch(other.url, { headers: { origin: "https://mail.postern.test" } });
  expect(preflight.headers.get("access-control-allow-origin")).toBe("https://mail.postern.test");
  expect(await other.stop()).toMatch(/"level":30.*"msg":"stopped"/);
});

describe("the examples in deploy", () => {
  const deploy = (file: string) => readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), "utf8");
  const policy = contentSecurityPolicy(["https://postern.example.com", "https://id.example.com"]);

  test("send the same headers", () => {
    const { SecurityHeadersConfig: security, CustomHeadersConfig: custom } = JSON.parse(
      deploy("cloudfront/response-headers-policy.json"),
    );
    expect(security).toEqual({
      ContentSecurityPolicy: { ContentSecurityPolicy: policy, Override: true },
      ReferrerPolicy: { ReferrerPolicy: "no-referrer", Override: true },
      StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: true },
      ContentTypeOptions: { Override: true },
    });
    expect(custom.Items).toEqual([
      { Header: "Cross-Origin-Opener-Policy", Value: "same-origin", Override: true },
    ]);
    const added = [...deploy("nginx/postern-web-files.conf").matchAll(/add_header ([\w-]+) "(.+)" always;/g)];
    expect(Object.fromEntries(added.map(([, name = "", value]) => [name.toLowerCase(), value]))).toEqual({
      ...securityHeaders(),
      "content-security-policy": policy,
    });
  });

  test("give the page to the same paths", async () => {
    const handler = runInNewContext(`${deploy("cloudfront/viewer-request.js")}; handler`);
    for (const path of [
      "/",
      "/aliases/1",
      "/..",
      "/assets/",
      "/assets/x",
      script,
      "/settings.json",
      "/a.b/c",
    ]) {
      const { uri } = handler({ request: { uri: path } });
      const { body } = await send(path);
      expect([path, uri === "/index.html"]).toEqual([path, body.equals(built("index.html"))]);
    }
  });
});

describe("without the built app, the server", () => {
  test("does not start, creates no store, and says what to do", async () => {
    const folder = newDirectory();
    for (const part of ["dist", "migrations", "package.json"])
      cpSync(join(RELEASE, part), join(folder, part), { recursive: true });
    const starting = spawnSync(process.execPath, [join(folder, "dist/main.js")], {
      env: {
        ...environment,
        POSTERN_STORE: "sqlite",
        POSTERN_SQLITE_PATH: join(folder, "postern.db"),
        POSTERN_WEB_PORT: `${await freePort()}`,
      },
      encoding: "utf8",
    });
    expect(starting).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `The browser app is not in ${join(folder, "web/")}. In a checkout, build it: npx -y pnpm@12 --filter @postern/web build. A release has it: unpack it again. Or remove POSTERN_WEB_PORT.\n`,
    });
    expect(existsSync(join(folder, "postern.db"))).toBe(false);
  });

  test.each(["no page in its folder", "a file in its place"])("finds %s", (what) => {
    const settings = { api: "https://a.test", issuer: "https://i.test", client: "c", sign_in: [] };
    const folder = join(newDirectory(), "web");
    if (what.startsWith("a file")) writeFileSync(folder, "");
    else mkdirSync(join(folder, "assets"), { recursive: true });
    const found = readWebFiles(settings, folder);
    const expected = what.startsWith("a file") ? / cannot be read \(ENOTDIR\)\. / : / is not in /;
    expect(found.isErr() && found.error.message).toMatch(expected);
  });
});
