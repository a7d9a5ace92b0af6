import type { Check } from "./check.ts";
import { addressChecks } from "./checks/address-checks.ts";
import { aliasChecks } from "./checks/alias-checks.ts";
import { apiKeyChecks } from "./checks/api-key-checks.ts";
import { blockedSenderChecks } from "./checks/blocked-sender-checks.ts";
import { contactChecks } from "./checks/contact-checks.ts";
import { contactLimitChecks } from "./checks/contact-limit-checks.ts";
import { contactModelChecks } from "./checks/contact-model-checks.ts";
import { creationChecks } from "./checks/creation-checks.ts";
import { erasureChecks } from "./checks/erasure-checks.ts";
import { failureChecks } from "./checks/failure-checks.ts";
import { fieldChecks } from "./checks/field-checks.ts";
import { handedReportChecks } from "./checks/handed-report-checks.ts";
import { lifecycleChecks } from "./checks/lifecycle-checks.ts";
import { limitChecks } from "./checks/limit-checks.ts";
import { linearizabilityChecks } from "./checks/linearizability-checks.ts";
import { mailLedgerChecks } from "./checks/mail-ledger-checks.ts";
import { messageLogChecks } from "./checks/message-log-checks.ts";
import { outboxChecks } from "./checks/outbox-checks.ts";
import { outboxModelChecks } from "./checks/outbox-model-checks.ts";
import { pageChecks } from "./checks/page-checks.ts";
import { recipientChecks } from "./checks/recipient-checks.ts";
import { resendChecks } from "./checks/resend-checks.ts";
import { searchChecks } from "./checks/search-checks.ts";
import { suspensionChecks } from "./checks/suspension-checks.ts";
import { tallyChecks } from "./checks/tally-checks.ts";
import { tenancyChecks } from "./checks/tenancy-checks.ts";
import { webhookChecks } from "./checks/webhook-checks.ts";
import { apiKeyRaces } from "./races/api-key-races.ts";
import { attachmentRaces } from "./races/attachment-races.ts";
import { blockedSenderRaces } from "./races/blocked-sender-races.ts";
import { contactRaces } from "./races/contact-races.ts";
import { countRaces } from "./races/count-races.ts";
import { creationRaces } from "./races/creation-races.ts";
import { crowdRaces } from "./races/crowd-races.ts";
import { handedReportRaces } from "./races/handed-report-races.ts";
import { identityRaces } from "./races/identity-races.ts";
import { limitRaces } from "./races/limit-races.ts";
import { mailLedgerRaces } from "./races/mail-ledger-races.ts";
import { messageLogRaces } from "./races/message-log-races.ts";
import { readRaces } from "./races/read-races.ts";
import { resendRaces } from "./races/resend-races.ts";
import { suspensionRaces } from "./races/suspension-races.ts";
import { versionRaces } from "./races/version-races.ts";
import { webhookRaces } from "./races/webhook-races.ts";

/**
 * Everything that a store must do: a store is correct if it passes every check.
 *
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { contract } from "@postern/adapter-contracts";
 *
 * for (const { name, run } of contract) test(name, (t) => run(openMyStore, (reason) => t.skip(reason)));
 * ```
 */
export const contract: readonly Check[] = [
  ...fieldChecks,
  ...aliasChecks,
  ...recipientChecks,
  ...addressChecks,
  ...tallyChecks,
  ...erasureChecks,
  ...limitChecks,
  ...contactChecks,
  ...contactLimitChecks,
  ...contactModelChecks,
  ...blockedSenderChecks,
  ...messageLogChecks,
  ...resendChecks,
  ...handedReportChecks,
  ...webhookChecks,
  ...creationChecks,
  ...outboxChecks,
  ...outboxModelChecks,
  ...apiKeyChecks,
  ...mailLedgerChecks,
  ...suspensionChecks,
  ...tenancyChecks,
  ...pageChecks,
  ...searchChecks,
  ...failureChecks,
  ...attachmentRaces,
  ...versionRaces,
  ...identityRaces,
  ...countRaces,
  ...readRaces,
  ...limitRaces,
  ...contactRaces,
  ...blockedSenderRaces,
  ...messageLogRaces,
  ...resendRaces,
  ...handedReportRaces,
  ...webhookRaces,
  ...creationRaces,
  ...apiKeyRaces,
  ...mailLedgerRaces,
  ...suspensionRaces,
  ...crowdRaces,
  ...lifecycleChecks,
  ...linearizabilityChecks,
];
