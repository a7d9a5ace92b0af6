import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Where to read a file that a variable names. A file that only root can read is passed on to a service as a credential. If it
 * has the name of the file (`LoadCredential=dkim.pem:/etc/postern/dkim.pem`), it is read in its place, so that the same
 * variable is right for the service and for root's commands (systemd.exec(5), `$CREDENTIALS_DIRECTORY`).
 */
export const credentialOr = (path: string): string => {
  const directory = process.env["CREDENTIALS_DIRECTORY"];
  if (directory === undefined) return path;
  const credential = join(directory, basename(path));
  return existsSync(credential) ? credential : path;
};
