import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment as anyEnvironment, unlimited } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { expectNoSecrets } from "./support/no-secrets.ts";
import { freePort } from "./support/server-process.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Does not respond, so that no fetch of its keys fails, which would be logged. */
const silentProvider = await startIdentityProvider();
afterAll(silentProvider.stop);
const environment = { ...anyEnvironment, POSTERN_ISSUER: silentProvider.issuer };

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

const LogLine = z.looseObject({ msg: z.string(), url: z.string().optional() });

const linesOf = (log: string) =>
  log
    .trim()
    .split("\n")
    .map((line) => LogLine.parse(JSON.parse(line)));

/** The address in the first line of the log. */
const serving = async (server: ReturnType<typeof run>): Promise<string> => {
  const [chunk] = await once(server.stdout, "data");
  const [first] = linesOf(String(chunk));
  expect(first?.msg).toBe("serving");
  return first?.url ?? expect.unreachable("the log does not contain the address");
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
    expect(errors).toContain("POSTERN_STORE must be one of: sqlite, postgres, dynamodb, memory");
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
  const { output, ...others } = await end;
  expect(others).toEqual({ errors: "", status: 0, signal: null });
  expect(linesOf(output)).toEqual([
    expect.objectContaining({ msg: "request refused", level: 30, reason: "missing" }),
    expect.objectContaining({ msg: "stopping", level: 30, signal }),
    expect.objectContaining({ msg: "stopped", level: 30, milliseconds: expect.any(Number) }),
  ]);
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
  const others = [{ msg: "serving" }, { msg: "stopping" }, { msg: "stopped" }];
  expect(await logged()).toMatchObject([created, ...others]);
  expect(await logged()).toMatchObject(others);
  // For example a backup that was restored to another path, and an empty file left by a full disk.
  await rm(path);
  await writeFile(path, "");
  expect(await logged()).toMatchObject([created, ...others]);
});

/** What the server logs from its start until SIGTERM, as objects without what every line has. */
const lifetime = async (variables: Record<string, string>) => {
  const server = run({ ...environment, ...variables });
  const log: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    log.push(line);
    if (line.includes('"serving"')) server.kill("SIGTERM");
  }
  expectNoSecrets(log.join("\n"), variables);
  return log.map((line) => {
    const { time: _, pid: __, hostname: ___, ...rest } = LogLine.parse(JSON.parse(line));
    return rest;
  });
};

test("says at the start where it serves, its version, where its store is, and what is off", async () => {
  const directory = await mkdtemp(join(tmpdir(), "main-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "postern.db");
  const [, first] = await lifetime({ POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: relative(".", path) });
  expect(first).toEqual({
    level: 30,
    msg: "serving",
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    version: "0.1.0",
    store: { kind: "sqlite", path },
    off: ["receiving and forwarding mail", "metrics", "access log", "rate limits shared over Redis"],
  });

  const metricsPort = await freePort();
  const [all] = await lifetime({
    ...unlimited,
    POSTERN_RATE_LIMIT: "0",
    POSTERN_ACCESS_LOG: "true",
    POSTERN_METRICS_PORT: `${metricsPort}`,
    POSTERN_REDIS_URL: "redis://redis-user:redis-password@127.0.0.1:1",
  });
  expect(all).toEqual({
    level: 30,
    msg: "serving",
    url: expect.any(String),
    version: "0.1.0",
    store: { kind: "memory" },
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    off: [
      "receiving and forwarding mail",
      "rate limit",
      "creation limit",
      "limit of aliases",
      "limit of recipients",
      "limit of unverified recipients",
      "limit of verification messages",
    ],
  });
});

test("warns that the memory store loses everything, and that a secret can be read by everybody", async () => {
  const directory = await mkdtemp(join(tmpdir(), "main-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "link-secret");
  await writeFile(path, `${environment.POSTERN_LINK_SECRET}\n`, { mode: 0o644 });
  const [, ...lines] = await lifetime({ POSTERN_LINK_SECRET: "", POSTERN_LINK_SECRET_FILE: path });
  expect(lines.slice(0, 2)).toEqual([
    { level: 40, msg: "everything is lost when this server stops: POSTERN_STORE is memory" },
    {
      level: 40,
      msg: `POSTERN_LINK_SECRET_FILE: ${path} can be read by every user of this machine (mode 0644): use mode 0600 or 0400`,
    },
  ]);
});

describe("a server that does not start because of", () => {
  const refused = async (variables: Record<string, string>) => {
    const { output, errors, status } = await ended(run({ ...environment, ...variables }));
    expect([output, status]).toEqual(["", 1]);
    expect(errors).toMatch(/^The configuration is invalid:\n\n/);
    expect(errors).toMatch(/\n--help describes every variable\.\n$/);
    expect(errors).not.toContain("    at ");
    return errors.split("\n").filter((line) => /^ {2}\S/.test(line));
  };

  test("a misspelt variable names the nearest one", async () => {
    expect(await refused({ POSTERN_ALIAS_DOMAINS: "", POSTERN_ALIAS_DOMAIN: "alias.example" })).toEqual([
      "  POSTERN_ALIAS_DOMAINS is required",
      "  POSTERN_ALIAS_DOMAIN is not a variable; did you mean POSTERN_ALIAS_DOMAINS?",
    ]);
  });

  test("examples of the documentation names them", async () => {
    const variables = {
      POSTERN_LINK_SECRET: "the output of: openssl rand -base64 48",
      POSTERN_AUDIENCE: "1example23456789",
      POSTERN_SMTP_URL: "smtps://user:password@mail.example.com",
    };
    expect(await refused(variables)).toEqual([
      "  POSTERN_AUDIENCE is the example of the documentation: set your own",
      "  POSTERN_LINK_SECRET is the example of the documentation: set your own",
      "  POSTERN_SMTP_URL is the example of the documentation: set your own",
    ]);
  });

  test("proxies anywhere says why", async () => {
    expect(await refused({ POSTERN_TRUSTED_PROXIES: "0.0.0.0/0" })).toEqual([
      "  POSTERN_TRUSTED_PROXIES must not contain a network wider than 10.0.0.0/8 or fc00::/7: clients in it could name any address as theirs",
    ]);
  });

  test("a file of a secret names the file and the reason", async () => {
    const file = { POSTERN_LINK_SECRET: "", POSTERN_LINK_SECRET_FILE: "/nowhere/link-secret" };
    expect(await refused(file)).toEqual([
      "  POSTERN_LINK_SECRET_FILE names /nowhere/link-secret, which cannot be read (ENOENT)",
    ]);
  });
});

test("serves and stops although its log is on a full disk", async () => {
  const port = await freePort();
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  const server = spawn(process.execPath, [main], {
    env: { ...environment, PORT: `${port}` },
    stdio: ["ignore", full, "inherit"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const exit = once(server, "exit");
  const health = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status,
      () => "refused",
    );
  await expect.poll(health, { timeout: 20_000 }).toBe(200);
  server.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
});

test("a signal during the start does not end it before it has said what is wrong", async () => {
  // The server waits for a DynamoDB that accepts connections and does not respond.
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const silent = createServer(() => connect()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const server = run({
    ...environment,
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}`,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  const end = ended(server);
  await connected;
  server.kill("SIGTERM");
  expect(await end).toEqual({
    output: "",
    errors: `DynamoDB at http://127.0.0.1:${port} does not respond (ETIMEDOUT): check POSTERN_DYNAMODB_ENDPOINT, and that it runs.\n`,
    status: 1,
    signal: null,
  });
});

test("a second signal ends it at once, although a request is running", async () => {
  const provider = await startIdentityProvider();
  onTestFinished(provider.stop);
  const server = run({ ...environment, POSTERN_ISSUER: provider.issuer });
  const url = await serving(server);
  let log = "";
  server.stdout.on("data", (chunk) => {
    log += chunk;
  });
  // This request waits for the issuer's keys, which never come.
  const running = fetch(`${url}/aliases`, { headers: { authorization: `Bearer ${provider.token}` } });
  const cut = expect(running).rejects.toThrow("fetch failed");
  await expect.poll(() => provider.asked()).toBe(true);
  const exit = once(server, "exit");
  server.kill("SIGTERM");
  await expect.poll(() => log).toContain('"stopping"');
  expect(server.exitCode).toBeNull();
  server.kill("SIGINT");
  expect(await exit).toEqual([null, "SIGINT"]);
  await cut;
  expect(log).not.toContain('"stopped"');
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

  const directory = mkdtempSync(join(tmpdir(), "main-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const store = { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: join(directory, "new/postern.db") };
  const { output, errors, status } = await ended(run({ ...environment, ...store, PORT: `${port}` }));
  expect(status).toBe(1);
  // It creates no store.
  expect(readdirSync(directory)).toEqual([]);
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
    expect({ errors, status }).toEqual({
      errors: "Unknown option '--prot'. --help lists all commands.\n",
      status: 1,
    });
  });

  test.each([[["backup", "--help"]], [["--help", "backup"]], [["backup", "-h", "file"]]])(
    "%j describes that command, and only that",
    async (args) => {
      const { output, status } = await ended(run({}, ...args));
      expect(status).toBe(0);
      expect(output).toMatch(/^Usage: postern-server backup FILE\n/);
      expect(output).not.toMatch(/doctor|POSTERN_ISSUER/);
    },
  );
});

test("an unexpected error is one line without its message; its stack is shown on request", async () => {
  // The program reads its version from its package.json.
  const code = `const { parse } = JSON; JSON.parse = (text) => {
    if (text.includes('"@postern/server"')) throw new RangeError("ada@private.test");
    return parse(text);
  };`;
  const broken = `data:text/javascript,${encodeURIComponent(code)}`;
  const runWith = async (variables: Record<string, string>) => {
    const child = spawn(process.execPath, ["--import", broken, main, "--version"], { env: variables });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { output, errors, status };
  };
  expect(await runWith({})).toEqual({
    output: "",
    errors:
      "Unexpected error (RangeError). Run it again with POSTERN_LOG_LEVEL=debug to see where, and report it.\n",
    status: 1,
  });
  const { errors, status } = await runWith({ POSTERN_LOG_LEVEL: "debug" });
  expect(status).toBe(1);
  expect(errors).toMatch(/^RangeError: .*\n {4}at /);
});

test("says which Node it needs, before it loads anything that an older one cannot load", async () => {
  const directory = await mkdtemp(join(tmpdir(), "main-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  // Without the files that it imports.
  const alone = join(directory, "main.ts");
  await copyFile(main, alone);
  const runOn = async (version: string) => {
    const pretend = `data:text/javascript,Object.defineProperties(process, { versions: { value: { node: "${version}" } }, version: { value: "v${version}" } })`;
    const child = spawn(process.execPath, ["--import", pretend, alone]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { output, errors, status };
  };
  for (const version of ["14.21.3", "20.20.2", "22.23.3"]) {
    expect(await runOn(version)).toEqual({
      output: "",
      errors: `postern-server needs Node 24 or later; this is v${version} (${process.execPath}).\n`,
      status: 1,
    });
  }
  expect((await runOn("24.0.0")).errors).toContain("ERR_MODULE_NOT_FOUND");
});
