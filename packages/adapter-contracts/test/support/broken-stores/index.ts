import { brokenAccounts } from "./accounts.ts";
import { brokenAddresses } from "./addresses.ts";
import { brokenAliases } from "./aliases.ts";
import { brokenApiKeys } from "./api-keys.ts";
import { brokenBlockedSenders } from "./blocked-senders.ts";
import type { Broken } from "./broken.ts";
import { brokenContacts } from "./contacts.ts";
import { brokenCreations } from "./creations.ts";
import { brokenErasure } from "./erasure.ts";
import { brokenEvents } from "./events.ts";
import { brokenFailures } from "./failures.ts";
import { brokenFields } from "./fields.ts";
import { brokenHandedReports } from "./handed-reports.ts";
import { brokenLimits } from "./limits.ts";
import { brokenHistories } from "./linearizability.ts";
import { brokenMailLedger } from "./mail-ledger.ts";
import { brokenMessageLog } from "./message-log.ts";
import { brokenOutbox } from "./outbox.ts";
import { brokenPages } from "./pages.ts";
import { brokenRaces } from "./races.ts";
import { brokenRecipients } from "./recipients.ts";
import { brokenResends } from "./resends.ts";
import { brokenSearches } from "./searches.ts";
import { brokenSuspensions } from "./suspensions.ts";
import { brokenWebhooks } from "./webhooks.ts";

/** Stores that each have exactly one flaw, because each is the correct store with one change. */
export const brokenStores: readonly Broken[] = [
  ...brokenFields,
  ...brokenAliases,
  ...brokenRecipients,
  ...brokenAddresses,
  ...brokenEvents,
  ...brokenErasure,
  ...brokenLimits,
  ...brokenContacts,
  ...brokenBlockedSenders,
  ...brokenMessageLog,
  ...brokenResends,
  ...brokenHandedReports,
  ...brokenWebhooks,
  ...brokenApiKeys,
  ...brokenCreations,
  ...brokenOutbox,
  ...brokenMailLedger,
  ...brokenSuspensions,
  ...brokenAccounts,
  ...brokenPages,
  ...brokenSearches,
  ...brokenFailures,
  ...brokenRaces,
  ...brokenHistories,
];
