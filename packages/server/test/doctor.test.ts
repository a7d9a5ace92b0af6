import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { freePort } from "@postern/test-support/free-port";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { AS_PROCESS, newSqliteFile, Report, startPatient } from "./support/doctor.ts";
import { runHere } from "./support/run-here.ts";
import { startServerProcess } from "./support/server-process.ts";

/* `doctor` with everything as it should be. */

let patient: Awaited<ReturnType<typeof startPatient>>;
beforeAll(async () => {
  patient = await startPatient();
});
afterAll(() => patient.stop());

/** Where a SQLite file has its change counter, in bytes (sqlite.org/fileformat2.html). */
const CHANGE_COUNTERS = [
  [24, 28],
  [92, 96],
] as const;

const withoutCounters = (content: Buffer): Buffer => {
  for (const [from, to] of CHANGE_COUNTERS) content.subarray(from, to).fill(0);
  return content;
};

/** Everything in the directory of the store. */
const contentOf = (path: string) =>
  readdirSync(dirname(path)).map((name) => {
    const file = join(dirname(path), name);
    const { mode, uid } = statSync(file);
    return {
      name,
      mode,
      uid,
      hash: createHash("sha256")
        .update(withoutCounters(readFileSync(file)))
        .digest("hex"),
    };
  });

const CHECKS = [
  "configuration",
  "store",
  "store-writes",
  "store-integrity",
  "files",
  "disk",
  "issuer-keys",
  "issuer",
  "clock",
  "accounts",
  "smtp",
  "smtp-tls",
  "dns-sender",
  "dns-alias-domains",
  "redis",
  "public-url",
  "keys-url",
  "web-url",
  "port",
  "keys-port",
  "web-port",
  "metrics-port",
  "mx-port",
];

test("alongside a running server, everything is ok, except that its URLs are on this machine only", async () => {
  const path = newSqliteFile();
  const POSTERN_METRICS_PORT = `${await freePort()}`;
  const POSTERN_KEYS_PORT = `${await freePort()}`;
  const POSTERN_KEYS_URL = `http://127.0.0.1:${POSTERN_KEYS_PORT}`;
  const POSTERN_WEB_PORT = `${await freePort()}`;
  const listeners = { POSTERN_METRICS_PORT, POSTERN_KEYS_PORT, POSTERN_KEYS_URL, POSTERN_WEB_PORT };
  const server = await startServerProcess({
    ...patient.variables,
    POSTERN_SQLITE_PATH: path,
    ...listeners,
  });
  onTestFinished(async () => void (await server.stop()));
  const { port: PORT } = new URL(server.url);
  const changed = { POSTERN_SQLITE_PATH: path, POSTERN_PUBLIC_URL: server.url, PORT, ...listeners };
  const { findings, status, of } = await patient.examine(changed, AS_PROCESS);

  expect(findings.map(({ check }) => check)).toEqual(CHECKS);
  expect(findings.filter((finding) => finding.status !== "ok")).toEqual([
    expect.objectContaining({ check: "public-url", found: expect.stringContaining("on this machine only") }),
    expect.objectContaining({
      check: "keys-url",
      status: "warning",
      found: `Postern takes keys at ${POSTERN_KEYS_URL}, but only from programs on this machine`,
    }),
    {
      check: "web-url",
      status: "warning",
      found: `the browser app is at http://127.0.0.1:${POSTERN_WEB_PORT}, but only for browsers on this machine`,
      action: "Set POSTERN_WEB_URL to the https origin that people open",
    },
  ]);
  expect(status).toBe(0);
  expect(of("store").found).toMatch(/schema version \d+, \d+ KiB, in use by a running server$/);
  expect(of("port").found).toBe(`a healthy Postern is listening on 127.0.0.1:${PORT}`);
  expect(of("keys-port").found).toBe(`a Postern takes keys on 127.0.0.1:${POSTERN_KEYS_PORT}`);
  expect(of("web-port").found).toBe(`a Postern serves the browser app on 127.0.0.1:${POSTERN_WEB_PORT}`);
  expect(of("metrics-port").found).toBe(`a Postern serves its metrics on 127.0.0.1:${POSTERN_METRICS_PORT}`);
  expect(of("smtp").found).toContain("accepts the login and the sender");
  expect(of("smtp-tls").found).toContain("encrypted; the certificate of localhost");
  expect(of("issuer-keys").found).toMatch(/^keys for RS256: 1, from http/);
  expect(of("clock").found).toContain("agrees");
  expect(of("dns-sender").found).toBe("postern.test has SPF; postern.test has DMARC");
  expect(of("dns-alias-domains").found).toBe("alias.example.com has MX mail.postern.test");
  expect(patient.messages).toEqual([]);

  // The two addresses are swapped, as by a proxy.
  const swapped = await patient.examine({
    ...changed,
    POSTERN_KEYS_URL: server.url,
    POSTERN_PUBLIC_URL: POSTERN_KEYS_URL,
  });
  expect(swapped.of("keys-url")).toMatchObject({
    status: "wrong",
    found: `${server.url} leads to the API, which takes no keys`,
    action: expect.stringContaining("to POSTERN_KEYS_PORT"),
  });

  // The variables have changed since the server started.
  const stale = await patient.examine({
    ...changed,
    POSTERN_AUDIENCE: "another",
    POSTERN_WEB_SIGN_IN: "srp",
    POSTERN_WEB_TOKEN_ORIGIN: "https://mine.auth.eu-central-1.amazoncognito.com",
  });
  expect(stale.of("web-url")).toMatchObject({
    status: "wrong",
    found: expect.stringMatching(
      /settings\.json says something else than the variables about: client, sign_in; .* does not allow https:\/\/mine\./,
    ),
    action: expect.stringMatching(/^Restart the server, if it serves the app; .*"client":"another"/),
  });

  // The file that the server had open is gone.
  renameSync(path, `${path}.moved`);
  const moved = await patient.examine(changed);
  expect(moved.of("store")).toMatchObject({ status: "wrong", found: expect.stringContaining("was moved") });
  expect(moved.status).toBe(1);
  renameSync(`${path}.moved`, path);
});

test("without a server it changes nothing, and prints one line for each check", async () => {
  const path = newSqliteFile();
  const before = contentOf(path);
  const { status, output, errors } = await patient.show({ POSTERN_SQLITE_PATH: path });
  expect(errors).toBe("Nothing is wrong. Warnings: 1.\n");
  expect(status).toBe(0);
  const lines = output.split("\n");
  expect(lines.pop()).toBe("");
  expect(lines.map((line) => line.split(/ +/)[1])).toEqual(CHECKS);
  for (const line of lines) expect(line).toMatch(/^(ok {5}|warning) {2}[a-z-]+ +\S/);
  expect(output).toContain("not in use: no server is running on it\n");
  expect(output).toMatch(/^warning {2}public-url .* cannot be reached .*\. If it .*\.$/m);
  expect(contentOf(path)).toEqual(before);
});

test("a finding that ends with a question is not followed by a period", async () => {
  const { output } = await patient.show({ POSTERN_ALIAS_DOMAIN: "alias.test" });
  expect(output).toContain("did you mean POSTERN_ALIAS_DOMAINS? Correct these variables: ");
});

/** A line of the report without the parts that differ between machines: numbers, hosts and paths. */
const withoutPlaces = (line: string): string =>
  line
    .replaceAll(/https?:[^\s:]+(?::\d+)?\S*/g, "URL")
    .replaceAll(/\/[\w./-]+/g, "PATH")
    .replaceAll(/\b(?:localhost|[\w-]+(?:\.[\w-]+)*\.(?:com|test)|\d+(?:\.\d+){3})(?::\d+)?\b/g, "HOST")
    .replaceAll(/[\d.-]*\d/g, "N")
    .replaceAll(/ (?:KiB|MiB|GiB)/g, " BYTES");

test("it prints what the document shows, except for the public URL", async () => {
  const path = newSqliteFile();
  const running = valueOf(sqliteStore({ path, clock: Date }));
  onTestFinished(running.close);
  const { status, output, errors } = await patient.show({
    POSTERN_SQLITE_PATH: path,
    POSTERN_MAIL_FROM: "postern@without-dmarc.test",
    POSTERN_SMTP_URL: patient.wrongLogin,
  });
  const shown = (text: string) =>
    text
      .trim()
      .split("\n")
      .filter((line) => !/^\w+ +(public-url|port) /.test(line))
      .map(withoutPlaces);
  expect(shown(output)).toEqual(shown(block("docs/operations.md", "Doctor", 1)));
  expect([status, errors]).toEqual([1, "Wrong: 1, warnings: 2.\n"]);
});

test("before the first start there is no store, and it creates none", async () => {
  const path = join(dirname(newSqliteFile()), "new", "postern.db");
  const { status, of } = await patient.examine({ POSTERN_SQLITE_PATH: path });
  expect(of("store")).toMatchObject({
    status: "warning",
    action: expect.stringContaining("creates a store"),
  });
  expect(of("files")).toMatchObject({ status: "ok", found: expect.stringContaining("does not exist") });
  expect(status).toBe(0);
  expect(readdirSync(dirname(dirname(path)))).not.toContain("new");
});

test("without any variable it reports what it can", async () => {
  const { status, output, errors } = await runHere({}, "doctor", "--json");
  const findings = Report.parse(JSON.parse(output));
  expect(findings[0]).toMatchObject({ check: "configuration", status: "wrong" });
  expect(findings[0]?.found).toContain("POSTERN_ISSUER is required; POSTERN_AUDIENCE is required");
  expect(findings.find(({ check }) => check === "smtp")?.found).toBe(
    "skipped: POSTERN_SMTP_URL is required, or POSTERN_SMTP_URL_FILE; POSTERN_MAIL_FROM is required",
  );
  expect([status, errors]).toEqual([1, expect.stringMatching(/^Wrong: 1, /)]);
});

test("with an argument it shows its usage", async () => {
  expect(await runHere({}, "doctor", "now")).toEqual({
    status: 1,
    output: "",
    errors: "Usage: doctor [--json]\n",
  });
});
