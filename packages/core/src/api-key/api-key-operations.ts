import type { Own } from "../account/own.ts";
import type { PortsOf } from "../operation/operation.ts";
import { authenticateApiKey } from "./authenticate-api-key.ts";
import { createApiKey } from "./create-api-key.ts";
import { deleteApiKey } from "./delete-api-key.ts";
import { listApiKeys } from "./list-api-keys.ts";

/** What a service does if its store has `apiKeys`. */
export type ApiKeyOperations = ReturnType<typeof apiKeyOperations>;

export const apiKeyOperations = (
  ports: PortsOf<typeof createApiKey | typeof listApiKeys | typeof deleteApiKey | typeof authenticateApiKey>,
  own: Own,
) => ({
  createApiKey: own(createApiKey(ports)),
  listApiKeys: own(listApiKeys(ports)),
  deleteApiKey: own(deleteApiKey(ports)),
  authenticateApiKey: authenticateApiKey(ports),
});
