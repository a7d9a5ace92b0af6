import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newDirectory } from "@postern/test-support/new-directory";
import { describe, expect, onTestFinished, test } from "vitest";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { ended, run, useSilentIssuer } from "./support/main-process.ts";
import { runHere } from "./support/run-here.ts";
import { startServerProcess } from "./support/server-process.ts";

const environment = await useSilentIssuer();

describe("an invalid configuration", () => {
  test("is explained completely, without values, and ends with status 78", async () => {
    const server = run({
      PORT: "99999",
      POSTERN_STORE: "redis",
      POSTERN_ISSUER: "http://id.example.com",
      POSTERN_LINK_SECRET: "too-short-a-secret",
      POSTERN_SMTP_URL: "ftp://user:hunter2@mail.example.com",
      POSTERN_MAIL_FROM: "",
    });
    const { output, errors, status } = await ended(server);
    expect(status).toBe(78);
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

describe("a server that does not start because of", () => {
  const refused = async (variables: Record<string, string>, expected = 78) => {
    const { output, errors, status } = await runHere({ ...environment, ...variables });
    expect([output, status]).toEqual(["", expected]);
    expect(errors).toMatch(/^The configuration is invalid:\n\n/);
    expect(errors).toMatch(/\n--help describes every variable\.\n$/);
    expect(errors).not.toContain("    at ");
    return errors.split("\n").filter((line) => /^ {2}\S/.test(line));
  };

  test("a misspelled variable names the nearest one", async () => {
    expect(await refused({ POSTERN_ALIAS_DOMAINS: "", POSTERN_ALIAS_DOMAIN: "alias.example" })).toEqual([
      "  POSTERN_ALIAS_DOMAINS is required",
      "  POSTERN_ALIAS_DOMAIN is not a variable; did you mean POSTERN_ALIAS_DOMAINS?",
    ]);
  });

  test("examples from the documentation names them", async () => {
    const variables = {
      POSTERN_LINK_SECRET: "the output of: openssl rand -base64 48",
      POSTERN_AUDIENCE: "1example23456789",
      POSTERN_SMTP_URL: "smtps://user:password@mail.example.com",
    };
    expect(await refused(variables)).toEqual([
      "  POSTERN_AUDIENCE is the example value from the documentation: set your own",
      "  POSTERN_LINK_SECRET is the example value from the documentation: set your own",
      "  POSTERN_SMTP_URL is the example value from the documentation: set your own",
    ]);
  });

  test("proxies anywhere says why", async () => {
    expect(await refused({ POSTERN_TRUSTED_PROXIES: "0.0.0.0/0" })).toEqual([
      "  POSTERN_TRUSTED_PROXIES must not contain a network wider than 10.0.0.0/8 or fc00::/7: clients in it could claim any address",
    ]);
  });

  test("an unreadable secret file names the file and the reason", async () => {
    const file = { POSTERN_LINK_SECRET: "", POSTERN_LINK_SECRET_FILE: "/nowhere/link-secret" };
    const missing = "  POSTERN_LINK_SECRET_FILE names /nowhere/link-secret, which cannot be read (ENOENT)";
    // Its disk may be mounted late. So this is worth another start, unless something else is not.
    expect(await refused(file, 1)).toEqual([missing]);
    const relative = { POSTERN_REDIS_URL_FILE: "redis-url" };
    expect(await refused({ ...file, ...relative })).toEqual([
      missing,
      "  POSTERN_REDIS_URL_FILE must be an absolute path",
    ]);
    const empty = { POSTERN_LINK_SECRET: "", POSTERN_LINK_SECRET_FILE: join(newDirectory(), "empty") };
    writeFileSync(empty.POSTERN_LINK_SECRET_FILE, "short");
    expect(await refused(empty, 1)).toEqual([
      "  POSTERN_LINK_SECRET_FILE names a file whose content must be at least 32 bytes long (secret 1 is shorter)",
    ]);
  });
});

test("explains that the port is in use, and ends with status 1", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;

  const directory = newDirectory();
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

test.each([
  ["POSTERN_METRICS_PORT", {}],
  ["POSTERN_KEYS_PORT", { POSTERN_KEYS_URL: "https://keys.postern.test" }],
  ["POSTERN_WEB_PORT", {}],
])("explains that %s is in use, and ends with status 1", async (variable, others) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;

  const { output, errors, status } = await ended(run({ ...environment, ...others, [variable]: `${port}` }));
  expect([status, output]).toEqual([1, ""]);
  expect(errors).toBe(
    `Port ${port} of 127.0.0.1 is in use. Stop the process that uses it, or set ${variable} to another port.\n`,
  );
});

test("explains that the host is not an address of this machine, and ends with status 1", async () => {
  const { errors, status } = await ended(run({ ...environment, HOST: "192.0.2.1" }));
  expect(status).toBe(1);
  expect(errors).toContain("192.0.2.1 is not an address of this machine.");
});

describe("what may pass ends with status 1, so that the unit starts the server again:", () => {
  const sqliteAt = (path: string) => ({ POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: path });
  const store = join(newDirectory(), "postern.db");

  const refused = async (
    variables: Record<string, string>,
    reason: string,
    wrapper: readonly string[] = [],
  ) => {
    const starting = startServerProcess({ ...environment, ...variables }, wrapper);
    await expect(starting).rejects.toThrow(reason);
    await expect(starting).rejects.toThrow(/^the server did not start \(status 1\): /);
  };

  test("a store on a disk that is not there, or full", async () => {
    await refused(sqliteAt("/proc/nowhere/postern.db"), "cannot be opened");
    const disk = newDirectory();
    const full = `mount -t tmpfs -o size=64k none '${disk}' && exec "$@"`;
    const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
    await refused(sqliteAt(join(disk, "postern.db")), "database or disk is full", [
      ...["unshare", "--mount", ...user, "sh", "-c", full, "sh"],
    ]);
  });

  test("a store that another server has, that a newer version has changed, or that is something else", async () => {
    const first = await startServerProcess({ ...environment, ...sqliteAt(store) });
    await refused(sqliteAt(store), "Stop the server or program that has it open");
    await first.stop();
    const db = new DatabaseSync(store);
    db.exec("PRAGMA user_version = 1000");
    db.close();
    await refused(sqliteAt(store), "run a newer Postern");
    const other = join(newDirectory(), "other.db");
    writeFileSync(other, "something else, of more than a hundred characters. ".repeat(4));
    await refused(sqliteAt(other), "other.db");
  });

  test("a database on another machine that does not respond", async () => {
    const credentials = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x", AWS_REGION: "eu-central-1" };
    const nowhere = { POSTERN_STORE: "dynamodb", POSTERN_DYNAMODB_ENDPOINT: "http://127.0.0.1:1" };
    await refused({ ...credentials, ...nowhere }, "does not respond");
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const url = {
      POSTERN_STORE: "postgres",
      POSTERN_POSTGRES_URL: `postgres://postern@127.0.0.1:${port}/postern`,
    };
    await refused(url, "cannot be opened");
  });

  test("a key, a certificate or a spool that cannot be used", async () => {
    const { directory, variables } = await newMailEnvironment();
    mkdirSync(join(directory, "taken"));
    writeFileSync(join(directory, "taken/spool.db"), "something else");
    await refused({ ...variables, POSTERN_SPOOL_PATH: join(directory, "taken") }, "POSTERN_SPOOL_PATH");
    const files = {
      POSTERN_DKIM_KEY: "/nowhere/dkim.pem",
      POSTERN_MX_TLS_KEY: "/nowhere",
      POSTERN_MX_TLS_CERT: "/",
    };
    await refused({ ...variables, ...files }, "POSTERN_DKIM_KEY: /nowhere/dkim.pem cannot be read (ENOENT)");
  });
});

test("neither the issuer, Redis, the relay nor the name server has to be there", async () => {
  const { variables } = await newMailEnvironment();
  const server = await startServerProcess({
    ...variables,
    POSTERN_ISSUER: "https://127.0.0.1:1",
    POSTERN_REDIS_URL: "redis://127.0.0.1:1",
    POSTERN_RELAY_URL: "smtp://127.0.0.1:1",
    POSTERN_DNS: "127.0.0.1:1",
  });
  await server.stop();
});

test("the unit starts the server again, except after status 78", () => {
  const unit = readFileSync(new URL("../../../deploy/systemd/postern.service", import.meta.url), "utf8");
  const settings = unit.match(/^(?:StartLimit|Restart).*/gm);
  expect(settings).toEqual([
    "StartLimitIntervalSec=0",
    "Restart=always",
    "RestartPreventExitStatus=78",
    "RestartSec=5",
    "RestartSteps=5",
    "RestartMaxDelaySec=60",
  ]);
});
