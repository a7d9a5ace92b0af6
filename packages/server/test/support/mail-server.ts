import { memoryStore } from "@postern/adapter-memory";
import { valueOf } from "@postern/core/testing";
import { expect } from "vitest";
import { atEnd } from "./at-end.ts";
import { configurationWith } from "./configuration.ts";
import { type Aliases, addAliases, type Counts, countsOf } from "./mail-aliases.ts";
import { newMailEnvironment } from "./mail-environment.ts";
import { startServer } from "./released.ts";

/** Servers that receive mail in this process, one after the other, on one store in memory and one spool. */
export const newMailServer = async (domain: string, aliases: Aliases) => {
  const { variables: environment } = await newMailEnvironment();
  const store = memoryStore();
  await addAliases(store, domain, aliases);
  return {
    /** The file of the key that signs. */
    key: environment.POSTERN_DKIM_KEY,
    spool: environment.POSTERN_SPOOL_PATH,
    /** Starts a server with these variables as well. It stops with the test, or after those of the file, at the latest. */
    start: async (variables: Readonly<Record<string, string>>) => {
      const configuration = configurationWith({
        ...environment,
        POSTERN_ALIAS_DOMAINS: domain,
        POSTERN_LOG_LEVEL: "silent",
        ...variables,
      });
      const server = valueOf(await startServer(configuration, { store }));
      atEnd(() => server.stop());
      return { port: server.mailPort ?? expect.unreachable("it receives mail"), stop: () => server.stop() };
    },
    /** What has been counted for an alias so far. */
    counts: (email: string): Promise<Counts> => countsOf(store, email),
  };
};
