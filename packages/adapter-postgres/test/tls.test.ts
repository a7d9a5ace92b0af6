import { execFileSync } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { inspectPostgres, parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { failureOf, valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { type Postgres, startPostgres } from "@postern/test-support/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let postgres: Postgres;
let url: string;
const directory = newDirectory();

/** A self-signed certificate for these names. */
const newCertificate = (name: string, names: string) => {
  const [file, key] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
  const made = ["-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", file, "-days", "2"];
  const subject = ["-subj", "/CN=localhost", "-addext", `subjectAltName=${names}`];
  execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "ignore" });
  chmodSync(directory, 0o755);
  // PostgreSQL only uses a key that belongs to its user and that nobody else can read.
  if (process.getuid?.() === 0) chownSync(key, 65_534, 65_534);
  return { file, key };
};

const ours = newCertificate("ours", "DNS:localhost,IP:127.0.0.1");
const another = newCertificate("another", "DNS:localhost");

beforeAll(async () => {
  postgres = await startPostgres([
    "listen_addresses=127.0.0.1,127.0.0.2",
    "ssl=on",
    `ssl_cert_file=${ours.file}`,
    `ssl_key_file=${ours.key}`,
  ]);
  url = await postgres.newDatabase();
});
afterAll(() => postgres.stop());

const open = async (change: (url: string) => string, caFile?: string) =>
  postgresStore({ url: valueOf(parsePostgresUrl(change(url))), caFile, clock: Date });

const verified = (text: string) => `${text}?sslmode=verify-full`;

describe.for(["127.0.0.1", "localhost"])("on %s", (host) => {
  const there = (text: string) => text.replace("127.0.0.1", host);

  test("a server whose certificate authority is known is verified, and the connection is encrypted", async () => {
    const store = valueOf(await open((text) => verified(there(text)), ours.file));
    expect(await store.ping()).toHaveProperty("value");
    const encrypted = await postgres.sql(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'postern'",
    );
    expect(encrypted).toEqual([{ ssl: true }]);
    await store.close();
    const location = { url: valueOf(parsePostgresUrl(verified(there(url)))), caFile: ours.file };
    expect(valueOf(await inspectPostgres(location))).toMatchObject({ encrypted: true });
  });

  test("a server with a different or unknown certificate authority is refused", async () => {
    for (const caFile of [another.file, undefined]) {
      expect(failureOf(await open((text) => verified(there(text)), caFile))).toMatchObject({
        code: "cannot_open",
        message: expect.stringContaining(
          "(DEPTH_ZERO_SELF_SIGNED_CERT): the certificate of the server is self-signed",
        ),
      });
    }
  });
});

test("a server whose certificate is for another name is refused", async () => {
  const wrongName = (text: string) => verified(text.replace("127.0.0.1", "127.0.0.2"));
  expect(failureOf(await open(wrongName, ours.file))).toMatchObject({
    code: "cannot_open",
    message: expect.stringContaining(
      "(ERR_TLS_CERT_ALTNAME_INVALID): the certificate of the server is for another name",
    ),
  });
});

test("require encrypts without verifying the server; disable does neither", async () => {
  for (const [sslmode, encrypted] of [
    ["require", true],
    ["disable", false],
  ] as const) {
    const location = { url: valueOf(parsePostgresUrl(`${url}?sslmode=${sslmode}`)) };
    expect(valueOf(await inspectPostgres(location))).toMatchObject({ encrypted });
  }
});

test("a missing file of certificate authorities is an error that names no user", async () => {
  const failure = failureOf(await open(verified, join(directory, "missing.pem")));
  expect(failure).toMatchObject({
    code: "cannot_open",
    message: expect.stringContaining("(ENOENT): there is no such file or socket"),
  });
  expect(failure.message).not.toContain("postgres@");
});
