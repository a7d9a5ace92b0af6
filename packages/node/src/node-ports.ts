import type { Clock, Ids, NonEmpty, Secrets } from "@postern/core";
import { hmacSecrets } from "./hmac-secrets.ts";
import { systemClock } from "./system-clock.ts";
import { uuids } from "./uuids.ts";

export type NodePorts = { readonly clock: Clock; readonly ids: Ids; readonly secrets: Secrets };

/**
 * The ports of the core that need nothing but Node.js: `systemClock`, `uuids` and `hmacSecrets(linkSecrets)`. Their
 * docstrings say what each guarantees. The caller supplies the store and the outgoing mail.
 *
 * @param settings `linkSecrets` are the keys that sign verification links. The first one signs, all of them open.
 *   Every process that serves the same store needs the same list.
 * @throws TypeError when a link secret has fewer than 32 bytes, or there is none. The message never contains a secret.
 *
 * @example
 * ```ts
 * const service = postern({ store, aliasDomains, verificationMail, ...nodePorts({ linkSecrets: [linkSecret] }) });
 * ```
 */
export const nodePorts = ({ linkSecrets }: { readonly linkSecrets: NonEmpty<string> }): NodePorts => ({
  clock: systemClock,
  ids: uuids,
  secrets: hmacSecrets(linkSecrets),
});
