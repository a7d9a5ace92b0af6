import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A self-signed certificate for this name, made in this directory. `file` is for clients that trust it. */
export const newCertificate = (directory: string, days: number, name = "localhost") => {
  const [file, keyFile] = [join(directory, `${days}.crt`), join(directory, `${days}.key`)];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const made = ["-newkey", "rsa:2048", "-nodes", "-keyout", keyFile, "-out", file, "-days", String(days)];
  execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "ignore" });
  return { file, keyFile, cert: readFileSync(file), key: readFileSync(keyFile) };
};
