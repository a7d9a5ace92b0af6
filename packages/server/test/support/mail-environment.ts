import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newDkimKey } from "./dkim-key.ts";
import { environment } from "./environment.ts";

/** Every variable that a server needs to receive mail on a free port; its key and spool are in a directory of their own. */
export const newMailEnvironment = async () => {
  const directory = await mkdtemp(join(tmpdir(), "mail-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const key = join(directory, "dkim.pem");
  await newDkimKey(key);
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
      // Nothing answers there: the results of all checks of senders are unknown, which refuses nobody.
      POSTERN_DNS: "127.0.0.1:1",
    },
  };
};
