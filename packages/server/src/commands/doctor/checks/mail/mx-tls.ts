import { readVariables } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { readTlsFiles, type TlsPaths } from "../../../../mail/tls-files.ts";
import { type Finding, fine, warning, wrong } from "../../check.ts";
import { skipped } from "../../skipped.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const NAME = "mx-tls";

const Needed = Variables.pick({ mxName: true, mxTlsKey: true, mxTlsCert: true });

const DAY = 24 * 60 * 60 * 1000;
const RENEWAL_DAYS = 14;

const RENEW = "Renew it, and send the server SIGHUP: systemctl reload postern";

const check = (paths: TlsPaths, name: string | undefined): Finding => {
  const read = readTlsFiles(paths);
  if (read.isErr())
    return wrong(NAME, read.error, `Correct ${ENV.mxTlsKey} and ${ENV.mxTlsCert}, or the files`);
  const { certificate } = read.value;
  const validUntil = certificate.validToDate.getTime();
  const until = `the certificate is valid until ${new Date(validUntil).toISOString().slice(0, 10)}`;
  if (validUntil < Date.now() + RENEWAL_DAYS * DAY) return warning(NAME, until, RENEW);
  if (name !== undefined && certificate.checkHost(name) === undefined) {
    return warning(
      NAME,
      `the certificate is not for ${name}: servers that verify it do not deliver`,
      `Get a certificate for ${ENV.mxName}`,
    );
  }
  return fine(NAME, until);
};

/** Whether mail can be received encrypted. */
export const mxTls = ifMailIsReceived(NAME, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped([NAME], read.error);
  const { mxTlsKey: key, mxTlsCert: cert, mxName: name } = read.value;
  return [
    key === undefined || cert === undefined
      ? warning(
          NAME,
          `mail is received unencrypted: ${ENV.mxTlsKey} and ${ENV.mxTlsCert} are not set`,
          "Set them: some servers deliver only over TLS",
        )
      : check({ key, cert }, name),
  ];
});
