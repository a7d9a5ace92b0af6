import type { Store } from "@postern/core";
import type { Result } from "neverthrow";

/** A store that holds on to something: a file, connections. */
export type OpenedStore = Store & { close(): void };

/** The store cannot be used. `message` is for the operator: what is wrong, and where. */
export type CannotOpenStore = { readonly code: "cannot_open_store"; readonly message: string };

export type OpenStore = () => Promise<Result<OpenedStore, CannotOpenStore>>;
