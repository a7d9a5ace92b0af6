import type { Clock, Concealment, Ids, Secrets } from "@postern/core";
import { type NodeSecretsSettings, nodeSecrets } from "./node-secrets.ts";
import { systemClock } from "./system-clock.ts";
import { uuids } from "./uuids.ts";

export type NodePorts = { readonly clock: Clock; readonly ids: Ids; readonly secrets: Secrets & Concealment };

/**
 * The ports of the core that need nothing but Node.js: `systemClock`, `uuids` and `nodeSecrets(settings)`. Their
 * own docstrings state what they guarantee. The store and the outgoing mail are left to the caller.
 *
 * Every process that serves the same store needs the same secrets.
 *
 * @throws TypeError when a link secret has fewer than 32 bytes, or there is none. The message never contains a secret.
 *
 * @example
 * ```ts
 * const service = postern({ store, aliasDomains, verificationMail, ...nodePorts({ linkSecrets: [linkSecret] }) });
 * ```
 */
export const nodePorts = (settings: NodeSecretsSettings): NodePorts => ({
  clock: systemClock,
  ids: uuids,
  secrets: nodeSecrets(settings),
});
