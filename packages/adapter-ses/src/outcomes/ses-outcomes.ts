import { err, ok, type Result, type Unavailable } from "@postern/core";
import { type ProviderReportsPorts, providerReports } from "@postern/mail";
import type { QueuedEvent } from "../sqs-batch.ts";
import { type CountForAliasPorts, countForAlias } from "./count-for-alias.ts";
import { type RecordForRecipientPorts, recordForRecipient } from "./record-for-recipient.ts";
import { readSesEvent, type SesOutcome, type SesReading } from "./ses-event.ts";

/**
 * What became of an event that need not stay in the queue: what it says is stored (`handed_over`), or counted or recorded for the alias or
 * recipient that a tag names, or had been (`duplicate`); it is about no message of ours (`unknown_copy`); or it says nothing to count.
 */
export type SesEventResult =
  | "handed_over"
  | SesOutcome["outcome"]
  | "duplicate"
  | "unknown_copy"
  | Extract<SesReading, { kind: "nothing" }>["reason"];

/** Why an event stays in the queue. `reason` and `cause` are for the operator, and contain nothing of the event. */
export type SesEventFailure = { readonly code: "unreadable"; readonly reason: string } | Unavailable;

/** The result for the event in this message. */
export type SesEventRead = {
  readonly messageId: string;
  readonly result: Result<SesEventResult, SesEventFailure>;
};

export type SesOutcomesPorts = ProviderReportsPorts &
  CountForAliasPorts &
  RecordForRecipientPorts & {
    /** Told what became of each event, for the log and metrics. Ignored by default. */
    readonly onEvent?: ((event: SesEventRead) => void) | undefined;
  };

/** Takes the messages of one batch, and stores what they say. Never rejects. An event with an error must stay in the queue. */
export type SesOutcomes = (batch: readonly QueuedEvent[]) => Promise<readonly SesEventRead[]>;

/**
 * Stores what SES reports about forwarded messages, for the server that has the copy, whichever that is (`providerReports`). What a program
 * of yours has sent with the tag of an alias (`aliasTag`) is counted for that alias instead. Of verification messages that `sesMail` has
 * sent with the secrets, it is recorded with the recipient whether they have arrived.
 *
 * @throws TypeError if `aliasDomains` is empty or not a list of domain names
 */
export const sesOutcomes = ({ onEvent = () => {}, ...ports }: SesOutcomesPorts): SesOutcomes => {
  const beginBatch = providerReports(ports);
  const count = countForAlias(ports);
  const recordVerification = recordForRecipient(ports);
  return (batch) => {
    const keep = beginBatch();
    const record = async (said: SesOutcome): Promise<SesEventRead["result"]> => {
      const { sender, verification } = said;
      if (verification !== null) return recordVerification(said, verification);
      if (sender === null) return count(said);
      const kept = await keep({ ...said, sender });
      return kept.isOk() && kept.value === "unknown_copy" ? count(said) : kept;
    };
    const readOne = async (body: string): Promise<SesEventRead["result"]> => {
      const reading = readSesEvent(body);
      if (reading.isErr()) return err({ code: "unreadable", reason: reading.error });
      return reading.value.kind === "nothing" ? ok(reading.value.reason) : record(reading.value.said);
    };
    return Promise.all(
      batch.map(async ({ messageId, body }) => {
        const read: SesEventRead = { messageId, result: await readOne(body) };
        onEvent(read);
        return read;
      }),
    );
  };
};
