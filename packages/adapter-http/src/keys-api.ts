import type { AnyPostern } from "@postern/core";
import type { FastifyInstance } from "fastify";
import { keyAccess } from "./access/key-access.ts";
import { checkKeysOptions } from "./check-options.ts";
import { endpointPath } from "./password-managers/endpoint-path.ts";
import type { CommonOptions } from "./register-api.ts";
import { parseAnyBodies } from "./requests/any-body.ts";
import { standalone } from "./standalone.ts";

export type KeysApiOptions = Pick<CommonOptions, "rateLimit" | "observer" | "logger"> & {
  /** The operations that the API exposes, on a store that has API keys. */
  readonly postern: AnyPostern & Required<Pick<AnyPostern, "authenticateApiKey">>;
  /** As in `createApi`. */
  readonly trustedProxies?: readonly string[] | undefined;
};

/**
 * The API for programs with keys, as a standalone server that is not listening yet: each route of `createApi` that a scope allows, with the
 * same limits for each key, and calls of other services that password managers make. Tokens are refused here. What is wrong is also in the
 * members `error` and `message` of every failure.
 *
 * Pass the address at which it can be reached as `keysUrl` to `postern`: without it, no key can be created.
 *
 * @throws TypeError if an option is invalid
 * @example
 * ```ts
 * const keysApi = createKeysApi({ postern: postern({ ...ports, keysUrl: "https://keys.example.com" }) });
 * await keysApi.listen({ port: 8081 });
 * ```
 */
export const createKeysApi = (options: KeysApiOptions): FastifyInstance => {
  checkKeysOptions(options);
  const api = standalone(options, keyAccess(options.postern), "", endpointPath);
  parseAnyBodies(api);
  return api;
};
