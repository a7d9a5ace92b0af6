import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { readTlsFiles, type TlsPaths } from "../../../mail-identity/tls-files.ts";
import { checkOf, type Found, fine, warning, wrong } from "../check.ts";
import { expiresSoon, validUntil } from "./certificate.ts";

const check = (paths: TlsPaths, name: string | undefined): Found => {
  const read = readTlsFiles(paths);
  if (read.isErr()) {
    return wrong(read.error, `Correct ${ENV.mxTlsKey} and ${ENV.mxTlsCert}, or the files`);
  }
  const { certificate } = read.value;
  const end = certificate.validToDate.getTime();
  const until = `the certificate is ${validUntil(end)}`;
  if (expiresSoon(end)) {
    return warning(until, "Renew it, and send the server SIGHUP: systemctl reload postern");
  }
  return name !== undefined && certificate.checkHost(name) === undefined
    ? warning(
        `the certificate is not for ${name}: servers that verify it do not deliver`,
        `Get a certificate for ${ENV.mxName}`,
      )
    : fine(until);
};

/** Whether mail can be received encrypted. */
export const mxTls = checkOf({
  names: ["mx-tls"],
  variables: Variables.pick({ mxName: true, mxTlsKey: true, mxTlsCert: true }),
  run: async ({ mxTlsKey: key, mxTlsCert: cert, mxName }) => ({
    "mx-tls":
      key === undefined || cert === undefined
        ? warning(
            `mail is received unencrypted: ${ENV.mxTlsKey} and ${ENV.mxTlsCert} are not set`,
            "Set them: some servers deliver only over TLS",
          )
        : check({ key, cert }, mxName),
  }),
});
