import type { PortResult, Result, Store } from "@postern/core";
import type { CreateAll, FindDifferences } from "@postern/core/store";
import type { Logger } from "pino";
import type { StoreConfiguration } from "../configuration/configuration.ts";

/** Where a store is, for the operator. Never contains credentials. */
export type StoreLocation =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
  | {
      readonly kind: "postgres";
      readonly host: string;
      readonly port: number;
      readonly database: string;
    }
  | {
      readonly kind: "dynamodb";
      readonly table: string;
      readonly region: string;
      /** Absent if it is AWS's. */
      readonly endpoint?: string;
    };

/** How much a store contains: records, as an export writes them, or only an estimate of the items that they are made of. */
type Extent =
  | { readonly counted: "records"; readonly count: number }
  | { readonly counted: "items"; readonly estimate: number };

/** A store that holds resources, such as a file or connections. */
export type OpenedStore = Store & {
  readonly location: StoreLocation;
  readonly differences: FindDifferences;
  readonly createAll?: CreateAll;
  /** For the progress of an export. */
  readonly extent: () => PortResult<Extent>;
  close(): void | Promise<void>;
};

/** The store cannot be used. `message` tells the operator what is wrong, and where. */
export type CannotOpenStore = { readonly code: "cannot_open_store"; readonly message: string };

/**
 * Whether a missing store may be created; DynamoDB tables are only ever created by `table create`. `alongside`: it must exist,
 * and a server may be using it, so a SQLite store has to be opened in a special way.
 */
export type Creation = "create" | "must exist" | "alongside";

/** @param timeoutMs how long each call waits for a store on another machine; by default the store decides */
export type OpenStore = (
  configuration: StoreConfiguration,
  logger: Pick<Logger, "warn" | "error">,
  creation: Creation,
  timeoutMs?: number,
) => Promise<Result<OpenedStore, CannotOpenStore>>;
