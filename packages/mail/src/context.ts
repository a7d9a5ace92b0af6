import type {
  AccountLimits,
  Clock,
  Concealment,
  Domain,
  EmailAddress,
  NonEmpty,
  OnUnreported,
  Secrets,
} from "@postern/core";
import type { Timing } from "@postern/core/operations";
import type {
  Aliases,
  Contacts,
  HandedReports,
  MailLedger,
  MessageLog,
  Recipients,
  Resends,
  Suspensions,
} from "@postern/core/store";
import type { Language, Service } from "@postern/core/words";
import type { MailRelay } from "./relay.ts";
import type { MailSigner } from "./signer.ts";
import type { ForwardingPause, Spool } from "./spool.ts";

/** What happens to mail to an alias that is switched off: the sender is told, or not. */
export type InactiveMode = "reject" | "discard";

/** What happens to a message that fails DMARC if the policy is `reject`. */
export type DmarcMode = "reject" | "ignore";

/** Whether senders are told that their messages failed: only if they are verified to be the senders, or never. */
export type NoticeMode = "verified" | "never";

/**
 * What is known about a pause. `paused`: it has begun, or was begun by an earlier process. `waiting`: it was in vain to try whether it is
 * over. `resumed`: it is over after so many milliseconds, and so many copies were waiting; null if that is not known.
 */
export type PauseEvent =
  | { readonly type: "paused" | "waiting"; readonly pause: ForwardingPause }
  | {
      readonly type: "resumed";
      readonly pause: ForwardingPause;
      readonly milliseconds: number;
      readonly waiting: number | null;
    };

/** What all operations of the mail plane are given: its ports, and its settings after they were parsed. */
export type MailContext = Timing & {
  readonly aliases: Aliases;
  readonly recipients: Recipients;
  readonly contacts: Contacts;
  readonly messageLog: MessageLog;
  readonly resends: Resends;
  readonly handedReports: HandedReports;
  readonly mailLedger: MailLedger;
  readonly suspensions: Suspensions;
  readonly spool: Spool;
  readonly signer: MailSigner;
  readonly relay: MailRelay;
  readonly secrets: Pick<Secrets, "random" | "hash"> & Concealment;
  readonly clock: Clock;
  readonly aliasDomains: NonEmpty<Domain>;
  /** The name of this server. */
  readonly serverName: Domain;
  /** The operator's mailbox. */
  readonly postmaster: EmailAddress;
  /** The sender of the verification messages, whose bounces need no attention, if it is on an alias domain. */
  readonly verificationSender: EmailAddress | null;
  readonly inactive: InactiveMode;
  readonly dmarc: DmarcMode;
  /** Which senders get notices. Authors of replies always do: their identity has been verified. */
  readonly notices: NoticeMode;
  /** What messages to recipients call the service. */
  readonly service: Service;
  /** The language of messages to recipients. */
  readonly language: Language;
  /** Whether subjects are logged. */
  readonly subjects: boolean;
  readonly limits: AccountLimits;
  /** From 1 to 20. */
  readonly copiesAtOnce: number;
  /** How long to wait before a relay that cannot be used is asked again, in milliseconds. */
  readonly probeDelays: NonEmpty<number>;
  /** Called whenever an attempt to send a copy has ended, so that its place is free, or one to reach the relay. */
  readonly onCopyEnded: () => void;
  readonly onPause: (event: PauseEvent) => void;
  readonly onUnreported: OnUnreported;
};
