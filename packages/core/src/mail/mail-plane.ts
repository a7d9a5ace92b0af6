import { parseAccountLimits } from "../account/limits.ts";
import { rememberedSuspensions } from "../account/remembered-suspensions.ts";
import { rememberedWebhooks } from "../account/remembered-webhooks.ts";
import { parseAliasDomains } from "../alias/alias-domains.ts";
import type { Clock, OnUnreported, Secrets, Store } from "../ports.ts";
import type { Ports } from "../postern.ts";
import { recordMailOutcome } from "../use-cases/aliases/record-mail-outcome.ts";
import { resolveAlias } from "../use-cases/aliases/resolve-alias.ts";
import { admitRecipient, type InactiveMode } from "../use-cases/mail/admit-recipient.ts";
import { aliasNow } from "../use-cases/mail/alias-now.ts";
import { countMessage } from "../use-cases/mail/count-message.ts";
import { divideMessage } from "../use-cases/mail/divide-message.ts";
import { endAlias } from "../use-cases/mail/end-alias.ts";
import { COPIES_AT_ONCE, forwardCopies } from "../use-cases/mail/forward-copies.ts";
import { giveMessagesBack } from "../use-cases/mail/give-messages-back.ts";
import { logMessages } from "../use-cases/mail/log-messages.ts";
import { lookUpAlias } from "../use-cases/mail/look-up-alias.ts";
import { meetCorrespondents } from "../use-cases/mail/meet-correspondents.ts";
import { prepareNotice } from "../use-cases/mail/prepare-notice.ts";
import { prepareReply } from "../use-cases/mail/prepare-reply.ts";
import { receiveMessage } from "../use-cases/mail/receive-message.ts";
import { recordBlocked } from "../use-cases/mail/record-blocked.ts";
import { recordReport } from "../use-cases/mail/record-report.ts";
import { recordVerification } from "../use-cases/mail/record-verification.ts";
import { resendMessages } from "../use-cases/mail/resend-messages.ts";
import { resolveContact } from "../use-cases/mail/resolve-contact.ts";
import { settleCopy } from "../use-cases/mail/settle-copy.ts";
import { takeMessage } from "../use-cases/mail/take-message.ts";
import { tellEnd } from "../use-cases/mail/tell-end.ts";
import { tellOutcomes } from "../use-cases/mail/tell-outcomes.ts";
import { wantedCopies } from "../use-cases/mail/wanted-copies.ts";
import { announcedAliases, announcedMessages } from "../use-cases/webhooks/announce-changes.ts";
import { configured } from "../values/configured.ts";
import { EmailAddress, parseDomain, parseEmailAddress } from "../values/email-address.ts";
import type { DmarcMode } from "./admission.ts";
import type { NoticeMode } from "./failure-notice.ts";
import { beginTransaction } from "./mail-transaction.ts";
import { summaryOf } from "./message-summary.ts";
import type { Concealment, MailRelay, MailSigner, Spool } from "./ports.ts";

/** Everything that the mail plane needs from its environment. */
export type MailPlanePorts = {
  /** The same as for `postern`. */
  readonly store: Pick<
    Store,
    | "aliases"
    | "recipients"
    | "contacts"
    | "blockedSenders"
    | "messageLog"
    | "resends"
    | "webhooks"
    | "outbox"
    | "mailLedger"
    | "suspensions"
  >;
  readonly spool: Spool;
  readonly signer: MailSigner;
  readonly relay: MailRelay;
  /** The same for all servers of a deployment. */
  readonly secrets: Pick<Secrets, "random" | "hash"> & Concealment;
  readonly clock: Clock;
  /** The domains whose mail is received: the same as for `postern`. */
  readonly aliasDomains: readonly string[];
  /** The name of this server in `Received` and in reports: the host name in the MX records. */
  readonly serverName: string;
  /** The operator's mailbox, outside the alias domains. */
  readonly postmaster: string;
  /** The sender of the verification messages, if it is on an alias domain. Mail to it is discarded. */
  readonly verificationSender?: string | undefined;
  /** What happens to mail to an alias that is switched off; `reject` by default. */
  readonly inactive?: InactiveMode | undefined;
  /** What happens to messages that fail DMARC if the policy is `reject`; `reject` by default. */
  readonly dmarc?: DmarcMode | undefined;
  /** Whether senders are told that their messages reached nobody; `verified` by default. */
  readonly notices?: NoticeMode | undefined;
  /** Whether the logs of aliases contain the subjects of messages; false by default. */
  readonly subjects?: boolean | undefined;
  /** Whether webhooks receive events about messages, which requires `eventSending` to be running. False by default. */
  readonly webhooks?: boolean | undefined;
  /** The same as for `postern`. */
  readonly limits?: Ports["limits"];
  /** How long each operation on the store may take, in milliseconds; 2,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How many copies are sent at the same time: as many as the relay has connections, from 1 to 20. 20 by default. */
  readonly copiesAtOnce?: number | undefined;
  /** Called whenever an attempt to send a copy has ended: call `forwardCopies` again, and `tellOutcomes` and `logMessages`. */
  readonly onCopyEnded?: (() => void) | undefined;
  /** Ignored by default. */
  readonly onUnreported?: OnUnreported | undefined;
};

/**
 * All operations of the mail plane, on one set of ports. None rejects.
 *
 * @throws TypeError if `aliasDomains` is empty or not a list of domain names, `serverName` is not a domain name, `postmaster`
 *   or `verificationSender` is not an address, `postmaster` is on an alias domain, or `limits` or `copiesAtOnce` are not valid
 */
export const mailPlane = ({
  store: given,
  spool,
  signer,
  relay,
  secrets,
  clock,
  inactive = "reject",
  dmarc = "reject",
  notices = "verified",
  subjects = false,
  webhooks = false,
  timeoutMs,
  copiesAtOnce = COPIES_AT_ONCE,
  onCopyEnded = () => {},
  onUnreported = () => {},
  ...settings
}: MailPlanePorts) => {
  const aliasDomains = configured("aliasDomains", parseAliasDomains(settings.aliasDomains));
  const serverName = configured("serverName", parseDomain(settings.serverName));
  const postmaster = configured("postmaster", parseEmailAddress(settings.postmaster));
  const sink =
    settings.verificationSender === undefined
      ? null
      : configured("verificationSender", parseEmailAddress(settings.verificationSender));
  const limits = configured("limits", parseAccountLimits(settings.limits ?? {}));
  if (aliasDomains.includes(EmailAddress.domain(postmaster))) {
    throw new TypeError("postmaster must not be on an alias domain: its mail would come back");
  }
  if (!Number.isInteger(copiesAtOnce) || copiesAtOnce < 1 || copiesAtOnce > COPIES_AT_ONCE) {
    throw new TypeError("copiesAtOnce must be from 1 to 20");
  }
  const timing = { clock, timeoutMs };
  const suspensions = rememberedSuspensions(given.suspensions, clock);
  const announcing = {
    webhooks: rememberedWebhooks(given.webhooks, clock),
    suspensions,
    outbox: given.outbox,
    clock,
  };
  const store = webhooks
    ? {
        ...given,
        aliases: announcedAliases(given.aliases, announcing),
        messageLog: announcedMessages(given.messageLog, announcing),
      }
    : given;
  const contactPorts = { contacts: store.contacts, secrets, limits };
  const resolve = resolveAlias({ ...timing, aliases: store.aliases, suspensions, aliasDomains });
  const tell = tellEnd({ spool, secrets, clock, onUnreported });
  const record = recordMailOutcome({ ...timing, aliases: store.aliases });
  const logging = { ...timing, messageLog: store.messageLog, aliasDomains, subjects };
  const begin = beginTransaction({ secrets, clock });
  const giveBack = giveMessagesBack({ ...timing, aliases: store.aliases, onUnreported });
  const notice = prepareNotice({ notices, serverName, secrets, clock });
  const settle = settleCopy({ spool, notice });
  const ports = {
    spool,
    secrets,
    clock,
    resolve,
    resolveReverse: resolveContact({ ...timing, ...store, suspensions }),
    record,
    begin,
    block: recordBlocked({ ...logging, record, onUnreported }),
    notice,
  };
  const wanted = wantedCopies({
    ...timing,
    spool,
    settle,
    lookUpAlias: lookUpAlias({ aliases: store.aliases, suspensions }),
    judge: aliasNow({ spool, secrets }),
    recipients: store.recipients,
    suspensions,
    mailLedger: store.mailLedger,
    secrets,
  });
  const recordForRecipient = recordVerification({ ...timing, recipients: store.recipients });
  return {
    beginTransaction: begin,
    admitRecipient: admitRecipient({
      ...ports,
      aliasDomains,
      sink,
      inactive,
      end: endAlias({ ...timing, aliases: store.aliases, tell, onUnreported }),
    }),
    receiveMessage: receiveMessage({
      ...ports,
      postmaster,
      dmarc,
      onUnreported,
      summarize: (mail) => summaryOf(mail, logging),
      tell,
      count: countMessage({ take: takeMessage({ ...timing, aliases: store.aliases }), giveBack }),
      giveBack,
      divide: divideMessage({
        resolve,
        meet: meetCorrespondents({
          ...timing,
          ...contactPorts,
          blockedSenders: store.blockedSenders,
          aliasDomains,
        }),
        reply: prepareReply({ ...timing, ...contactPorts }),
      }),
    }),
    recordReport: recordReport({ ...ports, aliasDomains }),
    ...forwardCopies({
      ...ports,
      spool,
      wanted,
      settle,
      signer,
      relay,
      serverName,
      copiesAtOnce,
      onCopyEnded,
    }),
    tellOutcomes: tellOutcomes({ ...ports, recordForRecipient }),
    logMessages: logMessages({ ...logging, spool }),
    resendMessages: resendMessages({ ...ports, ...timing, resends: store.resends }),
  };
};

export type MailPlane = ReturnType<typeof mailPlane>;
