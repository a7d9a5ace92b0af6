import type * as z from "zod";
import type { Variables } from "./variables.ts";

/** How mail is received, kept and forwarded; undefined if it is not. */
export const mailPlaneOf = (values: z.output<typeof Variables>) => {
  const { mxPort: port, mxName: name, mxTlsKey: key, mxTlsCert: cert } = values;
  const { postmaster, dkimKey, dkimSelector } = values;
  if (port === undefined) return undefined;
  // The rules have refused a port without these.
  if (name === undefined || postmaster === undefined || dkimKey === undefined || dkimSelector === undefined) {
    return undefined;
  }
  return {
    port,
    host: values.mxHost,
    name,
    tls: key === undefined || cert === undefined ? undefined : { key, cert },
    messagesPerMinute: values.mxRateLimit,
    spoolPath: values.spoolPath,
    spoolLimit: values.spoolLimit,
    relayUrl: values.relayUrl ?? values.smtpUrl,
    postmaster,
    dkimKey,
    dkimSelector,
    maxSize: values.mailSize,
    inactive: values.mailInactive,
    dmarc: values.mailDmarc,
    dsn: values.mailDsn,
    arc: values.mailArc,
    subjects: values.mailSubjects,
    deliveryNotices: values.deliveryNotices,
  };
};

export type MailPlaneConfiguration = NonNullable<ReturnType<typeof mailPlaneOf>>;
