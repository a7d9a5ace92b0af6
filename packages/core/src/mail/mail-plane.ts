import { parseAccountLimits } from "../account/limits.ts";
import { rememberedSuspensions } from "../account/remembered-suspensions.ts";
import { recordMailOutcome } from "../alias/record-mail-outcome.ts";
import { resolveAlias } from "../alias/resolve-alias.ts";
import type { Clock } from "../ports/clock.ts";
import type { Concealment } from "../ports/concealment.ts";
import type { OnUnreported } from "../ports/port-result.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Ports } from "../postern.ts";
import { resolveContact } from "../senders/resolve-contact.ts";
import type { Store } from "../store.ts";
import { parseAliasDomains } from "../values/alias-domains.ts";
import { configured } from "../values/configured.ts";
import { EmailAddress, parseDomain, parseEmailAddress } from "../values/email-address.ts";
import { announcedAliases, announcedMessages } from "../webhook/announce-changes.ts";
import { rememberedWebhooks } from "../webhook/remembered-webhooks.ts";
import { recordReport } from "./delivery-reports/record-report.ts";
import { aliasNow } from "./forwarding/alias-now.ts";
import { COPIES_AT_ONCE, forwardCopies } from "./forwarding/forward-copies.ts";
import { lookUpAlias } from "./forwarding/look-up-alias.ts";
import { resendMessages } from "./forwarding/resend-messages.ts";
import { settleCopy } from "./forwarding/settle-copy.ts";
import { wantedCopies } from "./forwarding/wanted-copies.ts";
import { beginTransaction } from "./message/mail-transaction.ts";
import { summaryOf } from "./message/message-summary.ts";
import type { NoticeMode } from "./notices/failure-notice.ts";
import { prepareNotice } from "./notices/prepare-notice.ts";
import { tellEnd } from "./notices/tell-end.ts";
import { logMessages } from "./outcomes/log-messages.ts";
import { tellOutcomes } from "./outcomes/tell-outcomes.ts";
import type { DmarcMode } from "./receiving/admission.ts";
import { admitRecipient, type InactiveMode } from "./receiving/admit-recipient.ts";
import { countMessage } from "./receiving/count-message.ts";
import { divideMessage } from "./receiving/divide-message.ts";
import { endAlias } from "./receiving/end-alias.ts";
import { giveMessagesBack } from "./receiving/give-messages-back.ts";
import { meetCorrespondents } from "./receiving/meet-correspondents.ts";
import { prepareReply } from "./receiving/prepare-reply.ts";
import { receiveMessage } from "./receiving/receive-message.ts";
import { recordBlocked } from "./receiving/record-blocked.ts";
import { takeMessage } from "./receiving/take-message.ts";
import type { MailRelay } from "./relay.ts";
import type { MailSigner } from "./signer.ts";
import type { Spool } from "./spool.ts";
import { recordVerification } from "./verification/record-verification.ts";

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
