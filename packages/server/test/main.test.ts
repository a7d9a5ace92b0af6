import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { expectNoSecrets } from "./support/no-secrets.ts";
import { freePort } from "./support/server-process.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Runs the server as an operator does, with these environment variables only. */
const run = (variables: Record<string, string>, ...options: string[]) => {
  const server = spawn(process.execPath, [main, ...options], { env: variables });
  onTestFinished(() => void server.kill("SIGKILL"));
  return Object.assign(server, { variables, options });
};

const ended = async (server: ReturnType<typeof run>) => {
  const [output, errors, [status, signal]] = await Promise.all([
    text(server.stdout),
    text(server.stderr),
    once(server, "exit"),
  ]);
  // Help contains examples of addresses.
  if (!server.options.includes("--help")) expectNoSecrets(output, server.variables);
  return { output, errors, status, signal };
};

const LogLine = z.object({ msg: z.string(), url: z.string().optional() });

/** The address in the first line of the log. */
const serving = async (server: ReturnType<typeof run>): Promise<string> => {
  const [chunk] = await once(server.stdout, "data");
  const { msg, url } = LogLine.parse(JSON.parse(String(chunk)));
  expect(msg).toBe("serving");
  return url ?? expect.unreachable("the log does not contain the address");
};

describe("an invalid configuration", () => {
  test("is explained completely, without values, and ends with status 1", async () => {
    const server = run({
      PORT: "99999",
      POSTERN_STORE: "redis",
      POSTERN_ISSUER: "http://id.example.com",
      POSTERN_LINK_SECRET: "too-short-a-secret",
      POSTERN_SMTP_URL: "ftp://user:hunter2@mail.example.com",
      POSTERN_MAIL_FROM: "",
    });
    const { output, errors, status } = await ended(server);
    expect(status).toBe(1);
    expect(output).toBe("");
    expect(errors).toContain("PORT must be a number from 0 to 65535");
    expect(errors).toContain("POSTERN_STORE must be one of: sqlite, dynamodb, memory");
    expect(errors).toContain("POSTERN_ISSUER must be an https URL");
    expect(errors).toContain("POSTERN_AUDIENCE is required");
    expect(errors).toContain("POSTERN_ALIAS_DOMAINS is required");
    expect(errors).toContain("POSTERN_PUBLIC_URL is required");
    expect(errors).toContain("POSTERN_LINK_SECRET must be at least 32 bytes long");
    expect(errors).toContain("POSTERN_SMTP_URL must be a URL that begins with smtp:// or smtps://");
    expect(errors).toContain("POSTERN_MAIL_FROM is required");
    expect(errors.match(/^ {4}example: /gm)).toHaveLength(9);
    for (const secret of ["too-short-a-secret", "hunter2"]) expect(errors).not.toContain(secret);
  });
});

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
  expect(await end).toEqual({ output: "", errors: "", status: 0, signal: null });
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("warns that it created a store, and does not warn again once there is one", async () => {
  const directory = await mkdtemp(join(tmpdir(), "main-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "postern.db");
  const logged = async () => {
    const server = run({ ...environment, POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: path });
    const lines: string[] = [];
    for await (const line of createInterface({ input: server.stdout })) {
      lines.push(line);
      if (line.includes('"serving"')) server.kill("SIGTERM");
    }
    return lines.map((line) => JSON.parse(line));
  };
  const created = { level: 40, path, msg: `created a new, empty store at ${path}` };
  expect(await logged()).toMatchObject([created, { msg: "serving" }]);
  expect(await logged()).toMatchObject([{ msg: "serving" }]);
  // For example a backup that was restored to another path, and an empty file left by a full disk.
  await rm(path);
  await writeFile(path, "");
  expect(await logged()).toMatchObject([created, { msg: "serving" }]);
});

test("finishes running requests before it ends, and accepts no new ones", async () => {
  const provider = await startIdentityProvider();
  onTestFinished(provider.stop);
  const metricsPort = await freePort();
  const variables = { POSTERN_ISSUER: provider.issuer, POSTERN_METRICS_PORT: `${metricsPort}` };
  const server = run({ ...environment, ...variables });
  const url = await serving(server);

  // This request waits for the issuer's keys.
  const running = fetch(`${url}/aliases`, { headers: { authorization: `Bearer ${provider.token}` } });
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  await expect.poll(metrics).toContain("postern_http_requests_in_flight 1\n");
  const exit = once(server, "exit");
  server.kill("SIGTERM");
  await expect
    .poll(
      () =>
        fetch(`${url}/health`).then(
          () => "responds",
          () => "refuses",
        ),
      { timeout: 5000 },
    )
    .toBe("refuses");
  expect(server.exitCode).toBeNull();
  provider.release();

  const released = performance.now();
  const response = await running;
  expect([response.status, await response.json()]).toEqual([200, { aliases: [], next_cursor: null }]);
  expect(await exit).toEqual([0, null]);
  // The client would keep the connection open; the server must not wait for that.
  expect(performance.now() - released).toBeLessThan(5000);
});

test("explains that the port is in use, and ends with status 1", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;

  const { output, errors, status } = await ended(run({ ...environment, PORT: `${port}` }));
  expect(status).toBe(1);
  expect(errors).toBe(
    `Port ${port} of 127.0.0.1 is in use. Stop the process that uses it, or set PORT to another port (0 selects a free one).\n`,
  );
  expect(output).toBe("");
});

test("explains that the metrics port is in use, and ends with status 1", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;

  const { output, errors, status } = await ended(run({ ...environment, POSTERN_METRICS_PORT: `${port}` }));
  expect([status, output]).toEqual([1, ""]);
  expect(errors).toBe(
    `Port ${port} of 127.0.0.1 is in use. Stop the process that uses it, or set POSTERN_METRICS_PORT to another port.\n`,
  );
});

test("explains that the host is not an address of this machine, and ends with status 1", async () => {
  const { errors, status } = await ended(run({ ...environment, HOST: "192.0.2.1" }));
  expect(status).toBe(1);
  expect(errors).toContain("192.0.2.1 is not an address of this machine.");
});

describe("options", () => {
  test("--help lists the variables and requires none", async () => {
    const { output, status } = await ended(run({}, "--help"));
    expect(status).toBe(0);
    for (const name of [...Object.keys(environment), "HOST", "POSTERN_JWKS_URI", "POSTERN_LOG_LEVEL"]) {
      expect(output).toContain(`  ${name} (`);
    }
  });

  test("--version prints the version of the package", async () => {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
    expect(await ended(run({}, "--version"))).toMatchObject({ output: `${version}\n`, status: 0 });
  });

  test("rejects any other option", async () => {
    const { errors, status } = await ended(run(environment, "--prot", "80"));
    expect(status).toBe(1);
    expect(errors).toContain("--prot");
  });
});
