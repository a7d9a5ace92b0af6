import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { err, ok, type Result } from "@postern/core";
import { systemCode } from "../system-code.ts";

/** A certificate with its key, both as PEM. */
export type TlsFiles = { readonly key: string; readonly cert: string };

/** Reads the two files and tries them. A failure is a sentence without a full stop, with the path and nothing of the content. */
export const readTlsFiles = (paths: TlsFiles): Result<TlsFiles, string> => {
  const contents: string[] = [];
  for (const path of [paths.key, paths.cert]) {
    try {
      contents.push(readFileSync(path, "utf8"));
    } catch (error) {
      return err(`${path} cannot be read (${systemCode(error)})`);
    }
  }
  const [key = "", cert = ""] = contents;
  try {
    createSecureContext({ key, cert });
    return ok({ key, cert });
  } catch (error) {
    return err(
      `${paths.key} and ${paths.cert} are not a key and its certificate, as PEM (${systemCode(error)})`,
    );
  }
};
