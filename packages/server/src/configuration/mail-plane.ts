import type * as z from "zod";
import type { Variables } from "./variables.ts";

type Values = z.output<typeof Variables>;

/** What becomes of mail, however it arrives. Undefined if none does: the rules have refused mail without a name and a postmaster. */
const treatmentOf = ({ mxName: name, postmaster, ...values }: Values) =>
  name === undefined || postmaster === undefined
    ? undefined
    : {
        name,
        postmaster,
        spoolLimit: values.spoolLimit,
        inactive: values.mailInactive,
        dmarc: values.mailDmarc,
        dsn: values.mailDsn,
        subjects: values.mailSubjects,
      };

/** How mail is received, kept and forwarded; undefined if it is not. */
export const mailPlaneOf = (values: Values) => {
  const { mxPort: port, mxTlsKey: key, mxTlsCert: cert, dkimKey, dkimSelector } = values;
  const treatment = treatmentOf(values);
  // The rules have refused a port without the others.
  if (port === undefined || treatment === undefined || dkimKey === undefined || dkimSelector === undefined)
    return undefined;
  return {
    ...treatment,
    port,
    host: values.mxHost,
    tls: key === undefined || cert === undefined ? undefined : { key, cert },
    messagesPerMinute: values.mxRateLimit,
    spoolPath: values.spoolPath,
    relayUrl: values.relayUrl ?? values.smtpUrl,
    dkimKey,
    dkimSelector,
    maxSize: values.mailSize,
    arc: values.mailArc,
    deliveryNotices: values.deliveryNotices,
  };
};

/** How a function takes in what SES has received, keeps and forwards it; undefined if it does not. */
export const inboundOf = (values: Values) => {
  const { mailBucket: bucket, spoolTable: table } = values;
  const treatment = treatmentOf(values);
  return bucket === undefined || table === undefined || treatment === undefined
    ? undefined
    : { ...treatment, bucket, table };
};

export type MailPlaneConfiguration = NonNullable<ReturnType<typeof mailPlaneOf>>;
