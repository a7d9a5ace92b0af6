import {
  type Clock,
  type Concealment,
  EmailAddress,
  type NonEmpty,
  type OnUnreported,
  type PortResult,
  type Ports,
  parseAccountLimits,
  parseAliasDomains,
  parseDomain,
  parseEmailAddress,
  type Secrets,
  type Store,
} from "@postern/core";
import {
  announcedAliases,
  announcedMessages,
  configured,
  rememberedSuspensions,
  rememberedWebhooks,
} from "@postern/core/operations";
import {
  DEFAULT_LANGUAGE,
  DEFAULT_SERVICE,
  type Language,
  parseLanguage,
  parseService,
  type Service,
} from "@postern/core/words";
import { backoff } from "./backoff.ts";
import type { DmarcMode, InactiveMode, MailContext, NoticeMode, PauseEvent } from "./context.ts";
import { recordHandedReports } from "./delivery-reports/record-handed-reports.ts";
import { recordReport } from "./delivery-reports/record-report.ts";
import { dropSuspended } from "./forwarding/drop-suspended.ts";
import { COPIES_AT_ONCE, forwardCopies, PROBE_DELAYS } from "./forwarding/forward-copies.ts";
import { keepingWhileWorking } from "./forwarding/keeping-while-working.ts";
import { resendMessages } from "./forwarding/resend-messages.ts";
import { type Loop, loop } from "./loop.ts";
import { beginTransaction } from "./message/mail-transaction.ts";
import { countOutcomes } from "./outcomes/count-outcomes.ts";
import { logMessages } from "./outcomes/log-messages.ts";
import { admitAnswer } from "./receiving/admit-answer.ts";
import { admitRecipient } from "./receiving/admit-recipient.ts";
import { hasArrived, receiveMessage } from "./receiving/receive-message.ts";
import type { MailRelay } from "./relay.ts";
import type { MailSigner } from "./signer.ts";
import type { Spool } from "./spool.ts";

/** Everything that the mail plane needs from its environment. */
export type MailPlanePorts = {
  /** The same as for `postern`. */
  readonly store: Pick<
    Store,
    | "aliases"
    | "recipients"
    | "contacts"
    | "messageLog"
    | "resends"
    | "handedReports"
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
  /** The sender of the verification messages, if it is on an alias domain. It only accepts reports, which need no attention. */
  readonly verificationSender?: string | undefined;
  /** What happens to mail to an alias that is switched off; `reject` by default. */
  readonly inactive?: InactiveMode | undefined;
  /** What happens to messages that fail DMARC if the policy is `reject`; `reject` by default. */
  readonly dmarc?: DmarcMode | undefined;
  /** Whether senders are told that their messages reached nobody; `verified` by default. */
  readonly notices?: NoticeMode | undefined;
  /** Who the recipients of an alias are told by that it has ended; "Postern" by default. */
  readonly service?: Service | undefined;
  /** In which language they are told; English by default. */
  readonly language?: Language | undefined;
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
  /**
   * How long to wait before a relay that cannot be used is asked again, in milliseconds, up to 10 % more or less: after the first failure,
   * the second one, and so on; the last one repeats. After 1, 2, 5, 15, 60, and then every 300 seconds by default.
   */
  readonly probeDelays?: NonEmpty<number> | undefined;
  /**
   * Called whenever an attempt to send a copy, or to find out whether the relay can be used again, has ended. Only for callers of
   * `forwardCopies`; `run` needs none.
   */
  readonly onCopyEnded?: (() => void) | undefined;
  /** Told when mail that waits is not sent for now, and when it is again. Ignored by default. */
  readonly onPause?: ((event: PauseEvent) => void) | undefined;
  /** Ignored by default. */
  readonly onUnreported?: OnUnreported | undefined;
  /** Called with what work that `run` repeats rejected with, which is a defect. Ignored by default. */
  readonly onDefect?: ((error: unknown) => void) | undefined;
};

/** A command can make copies due, and another server can receive requests meant for this one, without waking anything here. */
const LONGEST_WAIT_MS = 10_000;
/** The same while forwarding is paused: an operator who wants it to be tried again is waiting. */
const PAUSED_WAIT_MS = 1_000;

/** How long to wait after the spool, or the store, has failed. */
const FAILURE_DELAYS: NonEmpty<number> = [1_000, 2_000, 5_000, 10_000];
const PAUSE_AFTER_DEFECT_MS = 10_000;

/** What happens to copies in the meantime is counted or logged together, so that it takes little of the spool's time. */
const COUNT_REST_MS = 100;
const LOG_REST_MS = 1_000;

const SWEEP_INTERVAL_MS = 10 * 60_000;
/** Between two sweeps because there is no room. */
const SWEEP_REST_MS = 1_000;

/** The work that `run` repeats. */
type Loops = Readonly<Record<"forwarding" | "counting" | "logging" | "collecting" | "sweeping", Loop>>;

/** The spool, which calls these functions once a message or a notice may have been kept, a report is recorded, or there is no room for a message. */
const heardSpool = (
  spool: Spool,
  { onKept, onReported, onFull }: Readonly<Record<"onKept" | "onReported" | "onFull", () => void>>,
): Spool => ({
  ...spool,
  hasRoom: async (account) => {
    const hasRoom = await spool.hasRoom(account);
    if (hasRoom.isOk() && !hasRoom.value) onFull();
    return hasRoom;
  },
  receive: async (chunks) => {
    const received = await spool.receive(chunks);
    if (received.isErr() && received.error.code === "spool_full") onFull();
    return received;
  },
  keep: async (mailing) => {
    const kept = await spool.keep(mailing);
    if (kept.isOk()) onKept();
    else if (kept.error.code === "spool_full") onFull();
    return kept;
  },
  report: async (...report) => {
    const recorded = await spool.report(...report);
    if (recorded.isErr()) return recorded;
    onReported();
    const notice = report.at(-1);
    if (notice !== null) onKept();
    return recorded;
  },
  delay: async (...report) => {
    const recorded = await spool.delay(...report);
    if (recorded.isOk()) onReported();
    return recorded;
  },
});

const contextOf = (
  {
    store,
    inactive = "reject",
    dmarc = "reject",
    notices = "verified",
    service = DEFAULT_SERVICE,
    language = DEFAULT_LANGUAGE,
    subjects = false,
    webhooks = false,
    timeoutMs,
    copiesAtOnce = COPIES_AT_ONCE,
    probeDelays = PROBE_DELAYS,
    onPause = () => {},
    onUnreported = () => {},
    ...ports
  }: MailPlanePorts,
  spool: Spool,
  onCopyEnded: () => void,
): MailContext => {
  const { clock, verificationSender: sender } = ports;
  const aliasDomains = configured("aliasDomains", parseAliasDomains(ports.aliasDomains));
  const serverName = configured("serverName", parseDomain(ports.serverName));
  const postmaster = configured("postmaster", parseEmailAddress(ports.postmaster));
  const verificationSender =
    sender === undefined ? null : configured("verificationSender", parseEmailAddress(sender));
  const limits = configured("limits", parseAccountLimits(ports.limits ?? {}));
  if (aliasDomains.includes(EmailAddress.domain(postmaster))) {
    throw new TypeError("postmaster must not be on an alias domain: its mail would come back");
  }
  if (!Number.isInteger(copiesAtOnce) || copiesAtOnce < 1 || copiesAtOnce > COPIES_AT_ONCE) {
    throw new TypeError("copiesAtOnce must be from 1 to 20");
  }
  const suspensions = rememberedSuspensions(store.suspensions, clock);
  const announcing = {
    webhooks: rememberedWebhooks(store.webhooks, clock),
    suspensions,
    outbox: store.outbox,
    clock,
  };
  return {
    ...ports,
    recipients: store.recipients,
    contacts: store.contacts,
    resends: store.resends,
    handedReports: store.handedReports,
    mailLedger: store.mailLedger,
    aliases: webhooks ? announcedAliases(store.aliases, announcing) : store.aliases,
    messageLog: webhooks ? announcedMessages(store.messageLog, announcing) : store.messageLog,
    suspensions,
    spool,
    aliasDomains,
    serverName,
    postmaster,
    verificationSender,
    inactive,
    dmarc,
    notices,
    service: configured("service", parseService(service)),
    language: configured("language", parseLanguage(language)),
    subjects,
    limits,
    timeoutMs,
    copiesAtOnce,
    probeDelays,
    onCopyEnded,
    onPause,
    onUnreported,
  };
};

/**
 * Receives and forwards mail. A server for SMTP, such as `smtpIn` of `@postern/adapter-smtp-in`, passes it each recipient, message and
 * report; `run` forwards what has been received.
 *
 * @throws TypeError if `aliasDomains` is empty or not a list of domain names, `serverName` is not a domain name, `postmaster`
 *   or `verificationSender` is not an address, `postmaster` is on an alias domain, or `service`, `language`, `limits` or `copiesAtOnce` are not valid
 */
export const mailPlane = (ports: MailPlanePorts) => {
  const { clock, onCopyEnded = () => {}, onDefect = () => {} } = ports;
  let loops: Loops | undefined;
  const wake = (...names: readonly (keyof Loops)[]): void => {
    for (const name of names) loops?.[name].wake();
  };
  const spool = heardSpool(keepingWhileWorking(ports.spool), {
    onKept: () => wake("forwarding", "logging"),
    onReported: () => wake("counting", "logging"),
    onFull: () => wake("sweeping"),
  });
  const context = contextOf(ports, spool, () => {
    wake("forwarding", "counting", "logging");
    onCopyEnded();
  });
  const admit = admitRecipient(context);
  const forward = forwardCopies(context);
  const count = countOutcomes(context);
  const log = logMessages(context);
  const resend = resendMessages(context);
  const recordHanded = recordHandedReports(context);
  const drop = dropSuspended(context);

  const pauses = { failed: onDefect, pauseMs: PAUSE_AFTER_DEFECT_MS };
  /** Repeats this work when it is due, and sooner after a failure, which the ports report themselves. */
  const repeating = (work: () => PortResult<number | null>, longestMs = () => LONGEST_WAIT_MS) => {
    const failures = backoff(FAILURE_DELAYS, ports.secrets.random);
    return async (): Promise<number> => {
      const nextAt = await work();
      if (nextAt.isErr()) return failures.next();
      failures.reset();
      return Math.min(longestMs(), (nextAt.value ?? Number.POSITIVE_INFINITY) - clock.now());
    };
  };
  /** What is kept in the store for this server: reports, and then what is to be sent again because of what they say. */
  const collect = async (): PortResult<number | null> => {
    const recorded = await recordHanded();
    const resent = await resend();
    if (resent.isOk() && resent.value > 0) wake("forwarding");
    return recorded.andThen((reports) => resent.map(() => (reports > 0 ? clock.now() : null)));
  };
  const sweep = async (): Promise<boolean> => {
    const more = [await spool.sweep(clock.now()), await drop()];
    return more.some((each) => each.unwrapOr(false));
  };

  return {
    /** The spool that was passed, for whoever else stores messages in it: `run` notices them at once. */
    spool,
    /** Begins a transaction, for `admitRecipient` and `receiveMessage`: if the message can arrive several times, with a name of it. */
    beginTransaction: (arrival?: string) => beginTransaction(context, arrival),
    hasArrived: hasArrived(context),
    admitRecipient: admit,
    admitAnswer: admitAnswer(context, admit),
    receiveMessage: receiveMessage(context),
    recordReport: recordReport(context),
    ...forward,
    countOutcomes: count,
    logMessages: log,
    resendMessages: resend,
    recordHandedReports: recordHanded,
    /** Sweeps the spool, and drops mail of suspended accounts if there is little room. Returns whether there is more to do. */
    sweep,

    /**
     * Begins to forward mail, to count and log what happens to it, to record reports that reached other servers, to send messages again whose
     * owners ask for it, and to sweep the spool. It repeats `forwardCopies`, `countOutcomes`, `logMessages`, `recordHandedReports`,
     * `resendMessages` and `sweep`, whose calls must not overlap: do not call these as well. Idempotent.
     */
    run: (): void => {
      loops ??= {
        forwarding: loop(
          repeating(forward.forwardCopies, () =>
            forward.forwardingPause() === null ? LONGEST_WAIT_MS : PAUSED_WAIT_MS,
          ),
          pauses,
        ),
        counting: loop(repeating(count), { ...pauses, restMs: COUNT_REST_MS }),
        logging: loop(repeating(log), { ...pauses, restMs: LOG_REST_MS }),
        collecting: loop(repeating(collect), pauses),
        sweeping: loop(async () => ((await sweep()) ? 0 : SWEEP_INTERVAL_MS), {
          ...pauses,
          restMs: SWEEP_REST_MS,
        }),
      };
    },

    /**
     * Begins nothing new, and resolves once the copies that are being sent have been sent, and counted and logged. Stop receiving first;
     * what is still in the spool is forwarded after the next start. Nothing is lost if the process ends earlier.
     */
    stop: async (): Promise<void> => {
      if (loops === undefined) return;
      const { forwarding, ...others } = loops;
      const finishForwarding = async (): Promise<void> => {
        await forwarding.stop();
        await forward.finishForwarding();
      };
      await Promise.all([finishForwarding(), ...Object.values(others).map((each) => each.stop())]);
      await Promise.all([count(), log()]);
    },
  };
};

export type MailPlane = ReturnType<typeof mailPlane>;
