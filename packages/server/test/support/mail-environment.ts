import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { newDkimKey } from "./dkim-key.ts";
import { environment } from "./environment.ts";

const madeKey = async (): Promise<string> => {
  const path = join(newDirectory(), "dkim.pem");
  await newDkimKey(path);
  return readFileSync(path, "utf8");
};

/** That of all servers: making one takes as long as starting a server. */
let dkimKey: Promise<string> | undefined;

/** Every variable that a server needs to receive mail on a free port; its key and spool are in a directory of their own. */
export const newMailEnvironment = async () => {
  const directory = newDirectory();
  const key = join(directory, "dkim.pem");
  dkimKey ??= madeKey();
  writeFileSync(key, await dkimKey, { mode: 0o600 });
  return {
    directory,
    variables: {
      ...environment,
      POSTERN_MX_PORT: "0",
      POSTERN_MX_NAME: "mx.postern.test",
      POSTERN_POSTMASTER: "operator@postern.test",
      POSTERN_DKIM_KEY: key,
      POSTERN_DKIM_SELECTOR: "postern1",
      POSTERN_SPOOL_PATH: join(directory, "spool"),
      // All mail comes from this machine.
      POSTERN_MX_RATE_LIMIT: "0",
      // Nothing answers there: the results of all checks of senders are unknown, which refuses nobody.
      POSTERN_DNS: "127.0.0.1:1",
    },
  };
};
