import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test } from "vitest";
import { createDkimKey, readDkimKey } from "../src/mail-identity/dkim-key.ts";
import { newDkimKey, publicKeyIn } from "./support/dkim-key.ts";

const rsa = (bits: number, type: "pkcs1" | "pkcs8" = "pkcs8", passphrase?: string): string =>
  generateKeyPairSync("rsa", { modulusLength: bits })
    .privateKey.export({
      type,
      format: "pem",
      ...(passphrase !== undefined && { cipher: "aes-256-cbc", passphrase }),
    })
    .toString();

test("a newly created key can be read, and only by its owner", async () => {
  const path = join(newDirectory(), "dkim.pem");
  await newDkimKey(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const pem = readFileSync(path, "utf8");
  expect(readDkimKey(path)).toMatchObject({
    value: { pem, bits: 2048, publicKey: publicKeyIn(path), exposedMode: null },
  });
  expect(await createDkimKey(path)).toMatchObject({
    error: expect.stringMatching(/^already exists, and is never overwritten\. /),
  });
  expect(readFileSync(path, "utf8")).toBe(pem);
});

test("nothing is left behind where no key can be created", async () => {
  const folder = newDirectory();
  expect(await createDkimKey(join(folder, "missing", "dkim.pem"))).toMatchObject({
    error: "cannot be created (ENOENT)",
  });
  expect(readdirSync(folder)).toEqual([]);
});

test("a key in OpenSSL's older format can be read, even if others may read it too", () => {
  const path = join(newDirectory(), "dkim.pem");
  writeFileSync(path, rsa(3072, "pkcs1"));
  chmodSync(path, 0o640);
  expect(readDkimKey(path)).toMatchObject({ value: { bits: 3072, exposedMode: "0640" } });
});

test.each([
  ["nothing", () => "", "is not an unencrypted private key in PEM format"],
  [
    "a public key",
    () => createPublicKey(rsa(2048)).export({ type: "spki", format: "pem" }),
    "is not an unencrypted private key in PEM format",
  ],
  [
    "a private key and its public key, which the signer refuses too",
    () => `${rsa(2048)}${createPublicKey(rsa(2048)).export({ type: "spki", format: "pem" })}`,
    "is not an unencrypted private key in PEM format",
  ],
  ["a short key", () => rsa(1024), "has a key of 1024 bits: at least 2048 are needed"],
  [
    "a key of another kind",
    () => generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
    "has a key of type ed25519: RSA is needed",
  ],
  [
    "a key with a passphrase",
    () => rsa(2048, "pkcs8", "p"),
    "is not an unencrypted private key in PEM format",
  ],
  ["too much content", () => "k".repeat(70_000), "is too large to be a key"],
])("refuses a file with %s", (_, content, why) => {
  const path = join(newDirectory(), "dkim.pem");
  writeFileSync(path, content());
  expect(readDkimKey(path)).toMatchObject({ error: why });
});

test("says that there is no file", () => {
  expect(readDkimKey("/nowhere/dkim.pem")).toMatchObject({ error: "cannot be read (ENOENT)" });
});
