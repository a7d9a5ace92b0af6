import type { Result, Store } from "@postern/core";
import type { Logger } from "pino";
import type { StoreConfiguration } from "../configuration/configuration.ts";

/** A store that holds resources, such as a file or connections. */
export type OpenedStore = Store & { close(): void };

/** The store cannot be used. `message` tells the operator what is wrong, and where. */
export type CannotOpenStore = { readonly code: "cannot_open_store"; readonly message: string };

export type OpenStore = (
  configuration: StoreConfiguration,
  logger: Pick<Logger, "warn" | "error">,
) => Promise<Result<OpenedStore, CannotOpenStore>>;
