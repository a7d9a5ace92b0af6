import { err, type Result } from "neverthrow";
import { pino } from "pino";
import type { StoreConfiguration } from "../configuration/configuration.ts";
import type { OpenedStore } from "../stores/open-store.ts";
import { stores } from "../stores/stores.ts";
import { systemClock } from "../system/clock.ts";

/** Does something with the configured store, and lets go of it afterwards. */
export const withStore = async (
  configuration: StoreConfiguration,
  work: (store: OpenedStore) => Promise<Result<string, string>>,
): Promise<Result<string, string>> => {
  if (configuration.store === "memory") return err("The memory store keeps nothing: set POSTERN_STORE.");
  // Standard output is for what commands write.
  const logger = pino(pino.destination(2));
  const opened = await stores[configuration.store](configuration, systemClock, logger);
  if (opened.isErr()) return err(`${opened.error.message}.`);
  try {
    return await work(opened.value);
  } finally {
    opened.value.close();
  }
};
