import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test } from "vitest";
import { parseTlsKeyPair } from "../src/tls-key-pair.ts";

/* Which certificates and keys the server can be started with. */

const directory = newDirectory();

const pair = (name: string, ...algorithm: readonly string[]) => {
  const [key, cert] = [join(directory, `${name}.key`), join(directory, `${name}.crt`)];
  const made = ["-newkey", ...algorithm, "-nodes", "-subj", `/CN=${name}`, "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...made], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
};

const rsa = pair("rsa", "rsa:2048");
const ec = pair("ec", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1");
const short = pair("short", "rsa:1024");

const resultOf = (tls: typeof rsa) =>
  parseTlsKeyPair(tls).match(
    (certificate) => certificate.subject,
    (invalid) => invalid,
  );

test("accepts a certificate with its key, alone, before the rest of its chain, or in one file", () => {
  expect(resultOf(rsa)).toBe("CN=rsa");
  expect(resultOf(ec)).toBe("CN=ec");
  expect(resultOf({ ...rsa, cert: rsa.cert + ec.cert })).toBe("CN=rsa");
  const inOneFile = rsa.key + rsa.cert;
  expect(resultOf({ key: inOneFile, cert: inOneFile })).toBe("CN=rsa");
});

test("rejects empty files, and files of another kind", () => {
  for (const cert of ["", "no", rsa.key]) {
    expect(resultOf({ ...rsa, cert })).toEqual({ code: "not_a_certificate" });
  }
  const encrypted = createPrivateKey(rsa.key)
    .export({ type: "pkcs8", format: "pem", cipher: "aes256", passphrase: "secret" })
    .toString();
  for (const key of ["", "no", rsa.cert, encrypted]) {
    expect(resultOf({ ...rsa, key })).toEqual({ code: "not_a_private_key" });
  }
});

test("rejects the key of another certificate, even of one further down the chain", () => {
  expect(resultOf({ ...rsa, key: ec.key })).toEqual({ code: "other_key" });
  expect(resultOf({ ...rsa, cert: ec.cert + rsa.cert })).toEqual({ code: "other_key" });
});

test("rejects what OpenSSL refuses", () => {
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  expect(resultOf({ ...rsa, cert: rsa.cert + broken })).toEqual({
    code: "refused",
    reason: expect.stringMatching(/^ERR_OSSL_/),
  });
  expect(resultOf(short)).toEqual({ code: "refused", reason: "ERR_SSL_EE_KEY_TOO_SMALL" });
});
