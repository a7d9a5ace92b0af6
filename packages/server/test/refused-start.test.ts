import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { describe, expect, onTestFinished, test } from "vitest";
import { ended, run, useSilentIssuer } from "./support/main-process.ts";
import { runHere } from "./support/run-here.ts";

const environment = await useSilentIssuer();

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

describe("a server that does not start because of", () => {
  const refused = async (variables: Record<string, string>) => {
    const { output, errors, status } = await runHere({ ...environment, ...variables });
    expect([output, status]).toEqual(["", 1]);
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
    expect(await refused(file)).toEqual([
      "  POSTERN_LINK_SECRET_FILE names /nowhere/link-secret, which cannot be read (ENOENT)",
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
