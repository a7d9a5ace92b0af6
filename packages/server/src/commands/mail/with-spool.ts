import { resolve } from "node:path";
import { type SqliteSpool, sqliteSpool } from "@postern/adapter-sqlite";
import { err, type Result } from "@postern/core";
import { ENV } from "../../configuration/names.ts";
import { exitAtOnce } from "../../system/exit-at-once.ts";

export type OpenedSpool = SqliteSpool;

/** Opens the spool, which a server may be using, for `work`, then closes it. */
export const withSpool = async (
  spoolPath: string,
  work: (spool: OpenedSpool) => Promise<Result<string, string>>,
): Promise<Result<string, string>> => {
  // Nothing is added to it, so its limit does not matter.
  const opened = await sqliteSpool({ path: resolve(spoolPath), limit: 0, alongside: true });
  if (opened.isErr()) {
    // Its thread may be stuck.
    process.once("exit", exitAtOnce);
    return err(`${opened.error.message}. Set ${ENV.spoolPath} as for the server.`);
  }
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
};
