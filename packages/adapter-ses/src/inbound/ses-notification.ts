import { err, ok, type Result } from "@postern/core";
import * as z from "zod";
import { openEnvelopes, readAs } from "../envelopes.ts";

/** What SES found out about a message: `PASS`, `FAIL`, `GRAY`, which is neither, or why there was no such check. */
export type SesVerdicts = {
  readonly spf: string | null;
  readonly dkim: string | null;
  readonly dmarc: string | null;
  /** What the domain in `From` asks for, if DMARC fails. */
  readonly dmarcPolicy: string | null;
  readonly virus: string | null;
};

/** A message that SES has received and stored in S3. */
export type SesNotification = {
  /** The envelope sender; empty for the null sender. */
  readonly source: string;
  /** The recipients of the envelope that the receipt rule is for. */
  readonly recipients: readonly string[];
  readonly bucket: string;
  readonly key: string;
  readonly verdicts: SesVerdicts;
};

const verdict = z
  .object({ status: z.string() })
  .nullish()
  .transform((said) => said?.status ?? null);

const Received = z
  .object({
    mail: z.object({ source: z.string() }),
    receipt: z.object({
      recipients: z.array(z.string()).min(1),
      spfVerdict: verdict,
      dkimVerdict: verdict,
      dmarcVerdict: verdict,
      dmarcPolicy: z.string().nullish(),
      virusVerdict: verdict,
      action: z.object({ type: z.literal("S3"), bucketName: z.string(), objectKey: z.string().min(1) }),
    }),
  })
  .transform(
    ({ mail: { source }, receipt }): SesNotification => ({
      // As in the field Return-Path.
      source: source === "<>" ? "" : source,
      recipients: receipt.recipients,
      bucket: receipt.action.bucketName,
      key: receipt.action.objectKey,
      verdicts: {
        spf: receipt.spfVerdict,
        dkim: receipt.dkimVerdict,
        dmarc: receipt.dmarcVerdict,
        dmarcPolicy: receipt.dmarcPolicy ?? null,
        virus: receipt.virusVerdict,
      },
    }),
  );

/**
 * Reads the notification of the S3 action of a receipt rule, as it is in a queue (`openEnvelopes`); null for what SES only sends when it is
 * set up. Only this notification says who the recipients of the envelope are, and what SES found out: those of S3 name an object.
 */
export const readSesNotification = (body: string): Result<SesNotification | null, string> =>
  openEnvelopes(body).andThen((opened) => {
    if (opened === null) return ok(null);
    return opened.type === "Received"
      ? readAs(Received, opened)
      : err("it is not about mail that SES received");
  });
