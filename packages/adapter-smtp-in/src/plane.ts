import type {
  AliasAddress,
  Authentication,
  CopyId,
  MessageId,
  MessageRefusal,
  ReceivedBody,
  ReportMessage,
  Session,
  SpoolFull,
} from "@postern/core/mail";
import type { EmailAddress, PortResult } from "@postern/core";

/** Where mail to a recipient goes. */
export type AdmittedRecipient =
  | { readonly kind: "alias"; readonly alias: AliasAddress }
  | { readonly kind: "postmaster"; readonly address: EmailAddress }
  /** It is about a copy that we sent. */
  | { readonly kind: "report"; readonly copy: CopyId }
  /** It is accepted, and thrown away. */
  | { readonly kind: "discard" };

/** Why mail to a recipient is refused. */
export type RecipientRefusal =
  /** No alias domain: we would be an open relay. */
  | { readonly code: "not_an_alias_domain" }
  /** There is no such alias, or it is deleted; or no such copy. */
  | { readonly code: "recipient_not_found" }
  /** The alias is switched off. */
  | { readonly code: "recipient_inactive" }
  /** The address stands for a sender. */
  | { readonly code: "replies_not_supported" };

/** A message that has arrived. */
export type ArrivedMail = {
  readonly returnPath: string;
  readonly header: string;
  readonly body: ReceivedBody;
  readonly session: Session;
  readonly authentication: Authentication;
  readonly recipients: readonly Exclude<AdmittedRecipient, { kind: "report" | "discard" }>[];
};

/** The use cases of the core that receive mail. */
export type ReceivingPlane = {
  /** @param address as in the envelope, or `postmaster` */
  admitRecipient(address: string): PortResult<AdmittedRecipient, RecipientRefusal>;
  /** Stores the message with a copy for each mailbox that it is forwarded to. */
  receiveMessage(mail: ArrivedMail): PortResult<MessageId, MessageRefusal | SpoolFull>;
  /** Counts what a report says about a copy. Returns what became of it. */
  recordReport(copy: CopyId, report: ReportMessage): PortResult<string>;
};
