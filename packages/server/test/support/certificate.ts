import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A self-signed certificate of `localhost`, made in this directory. `file` is for who trusts it. */
export const newCertificate = (directory: string, days: number) => {
  const [file, key] = [join(directory, `${days}.crt`), join(directory, `${days}.key`)];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = ["-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", file, "-days", String(days)];
  execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "ignore" });
  return { file, cert: readFileSync(file), key: readFileSync(key) };
};
