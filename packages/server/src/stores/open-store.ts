import type { Clock, Store } from "@postern/core";
import type { Result } from "neverthrow";
import type { Logger } from "pino";
import type { StoreConfiguration } from "../configuration/configuration.ts";

/** A store that holds on to something: a file, connections. */
export type OpenedStore = Store & { close(): void };

/** The store cannot be used. `message` is for the operator: what is wrong, and where. */
export type CannotOpenStore = { readonly code: "cannot_open_store"; readonly message: string };

export type OpenStore = (
  configuration: StoreConfiguration,
  clock: Pick<Clock, "now">,
  logger: Pick<Logger, "warn" | "error">,
) => Promise<Result<OpenedStore, CannotOpenStore>>;
