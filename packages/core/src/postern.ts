import type { Result } from "neverthrow";
import { parseReservedNames } from "./alias/address/reserved-names.ts";
import { parseAliasDomains } from "./alias/alias-domains.ts";
import type { Clock, Ids, OnRetry, Secrets, Store, VerificationMail } from "./ports.ts";
import { eraseAccount } from "./use-cases/accounts/erase-account.ts";
import { createAlias } from "./use-cases/aliases/create-alias.ts";
import { deleteAlias } from "./use-cases/aliases/delete-alias.ts";
import { eraseAlias } from "./use-cases/aliases/erase-alias.ts";
import { getAlias } from "./use-cases/aliases/get-alias.ts";
import { listAliases } from "./use-cases/aliases/list-aliases.ts";
import { recordMailOutcome } from "./use-cases/aliases/record-mail-outcome.ts";
import { replaceRecipients } from "./use-cases/aliases/replace-recipients.ts";
import { resolveAlias } from "./use-cases/aliases/resolve-alias.ts";
import { restoreAlias } from "./use-cases/aliases/restore-alias.ts";
import { updateAlias } from "./use-cases/aliases/update-alias.ts";
import { addRecipient } from "./use-cases/recipients/add-recipient.ts";
import { adoptRecipient } from "./use-cases/recipients/adopt-recipient.ts";
import { deleteRecipient } from "./use-cases/recipients/delete-recipient.ts";
import { getRecipient } from "./use-cases/recipients/get-recipient.ts";
import { listRecipients } from "./use-cases/recipients/list-recipients.ts";
import { reassignRecipient } from "./use-cases/recipients/reassign-recipient.ts";
import { resendVerification } from "./use-cases/recipients/resend-verification.ts";
import { updateRecipient } from "./use-cases/recipients/update-recipient.ts";
import { verifyRecipient } from "./use-cases/recipients/verify-recipient.ts";
import type { InvalidRequest } from "./values/parse.ts";

/** Everything that Postern needs from its environment. */
export type Ports = {
  readonly store: Pick<Store, "aliases" | "recipients" | "ping">;
  /** The domains whose addresses are aliases, such as `["alias.example"]`; generated addresses are on the first. */
  readonly aliasDomains: readonly string[];
  /**
   * Local parts that accounts cannot choose for aliases, such as `["billing"]`, in addition to those that are always
   * reserved (`admin`, `postmaster`, `noreply` and similar). If your service sends mail from an alias domain, include the
   * sender. None by default.
   */
  readonly reservedNames?: readonly string[] | undefined;
  readonly verificationMail: VerificationMail;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Ignored by default. */
  readonly onRetry?: OnRetry | undefined;
};

/** The configured value. Throws a TypeError that says everything that is wrong with it. */
const configured = <T>(name: string, parsed: Result<T, InvalidRequest>): T => {
  if (parsed.isOk()) return parsed.value;
  const reasons = parsed.error.issues.map(({ path, reason }) => `${[name, ...path].join(".")} ${reason}`);
  throw new TypeError(reasons.join("; "));
};

/**
 * All operations, on one set of ports. On Node, `nodePorts` of `@postern/node` supplies `clock`, `ids` and `secrets`;
 * in tests, `testPorts` of `@postern/core/testing` supplies everything but the store.
 *
 * No operation rejects: failures are values (`Result`). `throwing` is for callers who prefer exceptions.
 *
 * @throws TypeError if `aliasDomains` is empty or one is not a domain name, or a reserved name is not a name
 * @example
 * ```ts
 * const service = postern({
 *   store: memoryStore(),
 *   aliasDomains: ["alias.example"],
 *   verificationMail: smtpMail({ url, from, publicUrl }),
 *   ...nodePorts({ linkSecrets: [secret] }),
 * });
 * const created = await service.createAlias({ account, recipientIds: [home] });
 * ```
 */
export const postern = ({ store, ...others }: Ports) => {
  const aliasDomains = configured("aliasDomains", parseAliasDomains(others.aliasDomains));
  const reservedNames = configured("reservedNames", parseReservedNames(others.reservedNames ?? []));
  const { aliases, recipients } = store;
  const ports = { ...others, aliases, recipients, aliasDomains, reservedNames };
  return {
    replaceRecipients: replaceRecipients(ports),
    createAlias: createAlias(ports),
    getAlias: getAlias(ports),
    listAliases: listAliases(ports),
    updateAlias: updateAlias(ports),
    deleteAlias: deleteAlias(ports),
    restoreAlias: restoreAlias(ports),
    resolveAlias: resolveAlias(ports),
    recordMailOutcome: recordMailOutcome(ports),
    eraseAlias: eraseAlias(ports),
    addRecipient: addRecipient(ports),
    adoptRecipient: adoptRecipient(ports),
    verifyRecipient: verifyRecipient(ports),
    resendVerification: resendVerification(ports),
    getRecipient: getRecipient(ports),
    listRecipients: listRecipients(ports),
    updateRecipient: updateRecipient(ports),
    deleteRecipient: deleteRecipient(ports),
    reassignRecipient: reassignRecipient(ports),
    eraseAccount: eraseAccount(ports),
    /** Whether the store responds. */
    ping: () => store.ping(),
  };
};

export type Postern = ReturnType<typeof postern>;
