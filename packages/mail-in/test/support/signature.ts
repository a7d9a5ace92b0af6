import { generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** The private key as PEM. */
export const KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

/** The record of the key, to be published with the selector `s`. */
export const PUBLISHED = `v=DKIM1; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

/** The field with a signature of this domain. `fields` is `h=`, and `length` is `l=`, which is omitted if not given. */
export const signatureOf = async (
  message: string,
  domain: string,
  fields: string,
  length?: number,
): Promise<string> => {
  const options = {
    signingDomain: domain,
    selector: "s",
    privateKey: KEY,
    headerList: fields,
    ...(length === undefined ? {} : { maxBodyLength: length }),
  };
  return (await dkimSign(message, { ...options, signatureData: [options] })).signatures;
};
