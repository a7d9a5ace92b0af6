import { type CopyId, err, isNonEmpty, type MessageId, ok, type Result } from "@postern/core";
import {
  type AdmittedRecipient,
  type ArrivedMail,
  HeaderFields,
  isAnswer,
  isReport,
  type MailPlane,
  type MailTransaction,
  type ReceivedBody,
  type ReportResult,
  readBeginning,
  reportParts,
  type Session,
  type Spool,
} from "@postern/mail";
import type { ArrivedMessage, Checked } from "./authenticate.ts";
import { withCrlf } from "./line-ends.ts";
import type { ArrivalRefusal } from "./refusal.ts";
import { splitMessage } from "./split-message.ts";

/** How a message arrives, and whom it is for. */
export type Transaction = {
  /** Null if it does not come by SMTP. */
  readonly session: Session | null;
  /** The envelope sender; empty for the null sender. */
  readonly returnPath: string;
  readonly recipients: readonly AdmittedRecipient[];
  /** Undefined if there is none. */
  readonly transaction: MailTransaction | undefined;
  /** Finds out who sent it. */
  readonly check: (message: ArrivedMessage) => Promise<Checked>;
};

/** The results of reports that are about one of our copies. */
const COUNTED: readonly ReportResult[] = ["delivered", "bounced", "complaint", "duplicate", "handed_over"];

type ReportAddress = Extract<AdmittedRecipient, { readonly kind: "report" }>;

type Stored = { readonly header: string; readonly body: ReceivedBody };

/** Returns a function that receives a message, as it arrives, and returns its id, or null if none of it was to be kept. */
export const messageReceiver = ({
  plane,
  spool,
  maxMessageSize,
  onReport,
}: {
  readonly plane: Pick<MailPlane, "admitAnswer" | "receiveMessage" | "recordReport">;
  readonly spool: Pick<Spool, "receive">;
  /** In octets. */
  readonly maxMessageSize: number;
  readonly onReport: (result: ReportResult) => void;
}) => {
  /** The header, and the body in the spool. */
  const store = async (chunks: AsyncIterable<Uint8Array>): Promise<Result<Stored, ArrivalRefusal>> => {
    let refusal: ArrivalRefusal | null = null;
    async function* limited(): AsyncGenerator<Uint8Array> {
      let size = 0;
      for await (const chunk of withCrlf(chunks)) {
        size += chunk.length;
        if (size > maxMessageSize) {
          refusal = { code: "message_too_large" };
          throw new Error("the message is too large");
        }
        yield chunk;
      }
    }

    const source = limited();
    const arriving = await splitMessage(source).catch(() => null);
    if (arriving === null) return err(refusal ?? { code: "unavailable" });
    const { header } = arriving;
    const received = header === null ? null : await spool.receive(arriving.body);
    // Otherwise it would hold on to what it has not read.
    await source.return(undefined);
    if (header === null || received === null) return err({ code: "header_too_large" });
    return received.isErr() ? err(refusal ?? received.error) : ok({ header, body: received.value });
  };

  /**
   * Records what the message reports. Returns the recipients for whom it is more than a report, such as those whom it answers, and the
   * operator if it is one that cannot be read. The report is read once, and recorded once for each copy and once for the operator, however
   * many of their addresses it was sent to: anybody can send reports, and they take long to read.
   */
  const record = async (
    { header, body }: Stored,
    { returnPath, recipients, transaction }: Transaction,
  ): Promise<Result<readonly ArrivedMail["recipients"][number][], ArrivalRefusal>> => {
    const fields = HeaderFields.split(header);
    const forwarded: ArrivedMail["recipients"][number][] = recipients.filter(
      (recipient) =>
        recipient.kind === "alias" || recipient.kind === "contact" || recipient.kind === "unsubscription",
    );
    let operator = recipients.find((recipient) => recipient.kind === "postmaster");
    const addressed = new Map<CopyId | null, ReportAddress>(
      recipients.flatMap((recipient) => (recipient.kind === "report" ? [[recipient.copy, recipient]] : [])),
    );
    const about = new Set(addressed.keys());
    // Complaints go to abuse@.
    if (operator !== undefined && isReport(fields)) about.add(null);

    if (about.size > 0) {
      const beginning = await readBeginning(body);
      if (beginning.isErr()) return err(beginning.error);
      const parts = reportParts(header, beginning.value);
      const recordFor = plane.recordReport({ returnPath, header, parts });
      for (const copy of about) {
        const to = addressed.get(copy);
        const recorded = await recordFor(copy, to?.elsewhere);
        if (recorded.isErr()) return err(recorded.error);
        onReport(recorded.value);
        // The operator gets those that contain nothing to count, or cannot be read.
        if (copy === null && COUNTED.includes(recorded.value)) operator = undefined;
        if (to === undefined) continue;
        if (recorded.value === "elsewhere") return err({ code: "elsewhere" });
        const { address } = to;
        if (copy !== null && recorded.value === "unknown") operator ??= { kind: "postmaster", address };
        if (!isAnswer(recorded.value)) continue;
        const admitted = await plane.admitAnswer(copy, transaction);
        if (admitted.isErr()) return err(admitted.error);
        if (admitted.value.kind === "author") forwarded.push(admitted.value);
      }
    }
    return ok(operator === undefined ? forwarded : [...forwarded, operator]);
  };

  return async (
    chunks: AsyncIterable<Uint8Array>,
    transaction: Transaction,
  ): Promise<Result<MessageId | null, ArrivalRefusal>> => {
    const stored = await store(chunks);
    if (stored.isErr()) return err(stored.error);
    const { header, body } = stored.value;
    try {
      const recorded = await record(stored.value, transaction);
      if (recorded.isErr()) return err(recorded.error);
      const recipients = recorded.value;
      if (!isNonEmpty(recipients)) return ok(null);
      const { session, returnPath } = transaction;
      const checked = await transaction.check({ header, body, returnPath, session });
      return await plane.receiveMessage({
        returnPath,
        header,
        body,
        session,
        ...checked,
        recipients,
        transaction: transaction.transaction,
      });
    } finally {
      await body.discard();
    }
  };
};
