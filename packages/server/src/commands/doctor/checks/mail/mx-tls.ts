import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readVariables } from "../../../../configuration/configuration.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { systemCode } from "../../../../system-code.ts";
import { type Finding, fine, warning, wrong } from "../../check.ts";
import { skipped } from "../../skipped.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const NAME = "mx-tls";

const Needed = Variables.pick({ POSTERN_MX_NAME: true, POSTERN_MX_TLS_KEY: true, POSTERN_MX_TLS_CERT: true });

const DAY = 24 * 60 * 60 * 1000;
const RENEWAL_DAYS = 14;

const RENEW = "Renew it, and send the server SIGHUP: systemctl reload postern";

const check = async (key: string, cert: string, name: string | undefined): Promise<Finding> => {
  const unreadable = (path: string, why: string) =>
    wrong(NAME, `${path} ${why}`, "Correct POSTERN_MX_TLS_KEY and POSTERN_MX_TLS_CERT, or the files");
  const read = async <T>(path: string, parse: (content: Buffer) => T): Promise<T | Finding> => {
    try {
      return parse(await readFile(path));
    } catch (error) {
      const code = systemCode(error);
      return unreadable(
        path,
        code.startsWith("ERR_") ? "is not valid PEM of the required kind" : `cannot be read (${code})`,
      );
    }
  };
  const [certificate, privateKey] = await Promise.all([
    read(cert, (content) => new X509Certificate(content)),
    read(key, createPrivateKey),
  ]);
  if ("check" in certificate) return certificate;
  if ("check" in privateKey) return privateKey;
  if (!certificate.checkPrivateKey(privateKey)) return unreadable(key, `is not the key of ${cert}`);
  const validUntil = certificate.validToDate.getTime();
  const until = `the certificate is valid until ${new Date(validUntil).toISOString().slice(0, 10)}`;
  if (validUntil < Date.now() + RENEWAL_DAYS * DAY) return warning(NAME, until, RENEW);
  if (name !== undefined && certificate.checkHost(name) === undefined) {
    return warning(
      NAME,
      `the certificate is not for ${name}: servers that verify it do not deliver`,
      "Get a certificate for POSTERN_MX_NAME",
    );
  }
  return fine(NAME, until);
};

/** Whether mail can be received encrypted. */
export const mxTls = ifMailIsReceived(NAME, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped([NAME], read.error);
  const { POSTERN_MX_TLS_KEY: key, POSTERN_MX_TLS_CERT: cert, POSTERN_MX_NAME: name } = read.value;
  return [
    key === undefined || cert === undefined
      ? warning(
          NAME,
          "mail is received unencrypted: POSTERN_MX_TLS_KEY and POSTERN_MX_TLS_CERT are not set",
          "Set them: some servers deliver only over TLS",
        )
      : await check(key, cert, name),
  ];
});
