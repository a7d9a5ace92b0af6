import { err, type Result } from "@postern/core";
import type { StoreConfiguration } from "../configuration/configuration.ts";
import { ENV } from "../configuration/names.ts";
import type { Creation, OpenedStore } from "../stores/open-store.ts";
import { stores } from "../stores/stores.ts";
import { timing } from "./timing.ts";

/** Opens the configured store for `work`, then closes it. */
export const withStore = async (
  configuration: StoreConfiguration,
  creation: Creation,
  work: (store: OpenedStore) => Promise<Result<string, string>>,
): Promise<Result<string, string>> => {
  if (configuration.store === "memory") {
    return err(
      `The memory store does not outlive a process: set ${ENV.store} to sqlite, postgres or dynamodb.`,
    );
  }
  const { pino } = await import("pino");
  // Standard output is for what commands write.
  const logger = pino(pino.destination(2));
  const opened = await stores[configuration.store](configuration, logger, creation, timing.timeoutMs);
  if (opened.isErr()) return err(`${opened.error.message}.`);
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
};
