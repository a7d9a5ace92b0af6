import type { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  parseTlsKeyPair,
  type TlsKeyPair,
  type TlsKeyPairInvalid,
} from "@postern/adapter-smtp-in/tls-key-pair";
import { err, type Result } from "@postern/core";
import { systemCode } from "../system/system-code.ts";

/** The paths of a certificate and its key, both as PEM. */
export type TlsPaths = { readonly key: string; readonly cert: string };

export type TlsFiles = { readonly pair: TlsKeyPair; readonly certificate: X509Certificate };

const whyInvalid = ({ key, cert }: TlsPaths, invalid: TlsKeyPairInvalid): string => {
  switch (invalid.code) {
    case "not_a_certificate":
      return `${cert} is not a certificate in PEM format`;
    case "not_a_private_key":
      return `${key} is not an unencrypted private key in PEM format`;
    case "other_key":
      return `${key} is not the key of the first certificate in ${cert}`;
    case "refused":
      return `${key} and ${cert} cannot be used (${invalid.reason})`;
  }
};

/** Reads the two files and tries them. A failure is a sentence without a period, with the path but none of the content. */
export const readTlsFiles = (paths: TlsPaths): Result<TlsFiles, string> => {
  const contents: string[] = [];
  for (const path of [paths.key, paths.cert]) {
    try {
      contents.push(readFileSync(path, "utf8"));
    } catch (error) {
      return err(`${path} cannot be read (${systemCode(error)})`);
    }
  }
  const [key = "", cert = ""] = contents;
  const pair = { key, cert };
  return parseTlsKeyPair(pair)
    .map((certificate) => ({ pair, certificate }))
    .mapErr((invalid) => whyInvalid(paths, invalid));
};
