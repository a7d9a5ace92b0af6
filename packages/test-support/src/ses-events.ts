/* Events as AWS documents them, with what matters replaced. */

type Json = Readonly<Record<string, unknown>>;

/** The message that an event is about. */
type About = {
  readonly source: string;
  readonly to?: readonly string[];
  readonly tags?: Json;
  readonly messageId?: string;
};

const mail = ({ source, to, tags, messageId }: Required<About>): Json => ({
  timestamp: "2026-01-05T10:00:00.012Z",
  source,
  sourceArn: "arn:aws:ses:eu-west-1:123456789012:identity/alias.example",
  sendingAccountId: "123456789012",
  messageId,
  destination: to,
  headersTruncated: false,
  headers: [{ name: "Subject", value: "Your order" }],
  commonHeaders: { subject: "Your order", to },
  tags: { "ses:configuration-set": ["postern"], ...tags },
});

const event = (type: string, about: About, member: string, said: Json) => ({
  eventType: type,
  mail: mail({
    to: ["ada@home.example"],
    tags: {},
    messageId: "0102018bcfe56800-example-000000",
    ...about,
  }),
  [member]: { timestamp: "2026-01-05T10:00:01.400Z", ...said },
});

export const delivery = (about: About) =>
  event("Delivery", about, "delivery", {
    recipients: about.to ?? ["ada@home.example"],
    processingTimeMillis: 546,
    smtpResponse: "250 2.6.0 Message received",
    reportingMTA: "mta.example.com",
  });

export const bounce = (
  about: About,
  bounceType: string,
  bounceSubType: string,
  recipient: Readonly<Record<string, string>> = {},
) =>
  event("Bounce", about, "bounce", {
    bounceType,
    bounceSubType,
    bouncedRecipients: (about.to ?? ["ada@home.example"]).map((emailAddress) => ({
      emailAddress,
      ...recipient,
    })),
    feedbackId: "0102018bcfe56800-example-000000",
  });

export const complaint = (about: About, said: Json = {}) =>
  event("Complaint", about, "complaint", {
    complainedRecipients: [{ emailAddress: "ada@home.example" }],
    feedbackId: "0102018bcfe56800-example-000000",
    complaintSubType: null,
    ...said,
  });

export const reject = (about: About) => event("Reject", about, "reject", { reason: "Bad content" });

export const delay = (about: About, delayType = "TransientCommunicationFailure", status = "4.4.1") =>
  event("DeliveryDelay", about, "deliveryDelay", {
    delayedRecipients: [{ emailAddress: "ada@home.example", status }],
    delayType,
  });

export const send = (about: About) => event("Send", about, "send", {});

/** A message that SES has received and stored in S3. */
export const received = ({
  source,
  recipients,
  key,
  bucket = "mail",
  dmarcPolicy,
  ...verdicts
}: {
  readonly source: string;
  readonly recipients: readonly string[];
  readonly key: string;
  readonly bucket?: string;
  readonly dmarcPolicy?: string;
} & Partial<Readonly<Record<"spf" | "dkim" | "dmarc" | "spam" | "virus", string>>>) => {
  const verdict = (check: keyof typeof verdicts) => ({ status: verdicts[check] ?? "PASS" });
  return {
    notificationType: "Received",
    mail: {
      timestamp: "2026-01-05T10:00:00.012Z",
      source,
      messageId: key,
      destination: recipients,
      headersTruncated: false,
      headers: [{ name: "Subject", value: "Your order" }],
      commonHeaders: { subject: "Your order" },
    },
    receipt: {
      timestamp: "2026-01-05T10:00:00.012Z",
      processingTimeMillis: 222,
      recipients,
      spamVerdict: verdict("spam"),
      virusVerdict: verdict("virus"),
      spfVerdict: verdict("spf"),
      dkimVerdict: verdict("dkim"),
      dmarcVerdict: verdict("dmarc"),
      ...(dmarcPolicy !== undefined && { dmarcPolicy }),
      action: {
        type: "S3",
        topicArn: "arn:aws:sns:eu-west-1:123456789012:postern",
        bucketName: bucket,
        objectKey: key,
      },
    },
  };
};

/** The same event as an older notification of an identity. */
export const asNotification = ({ eventType, ...others }: { readonly eventType: string }) => ({
  notificationType: eventType,
  ...others,
});

/** In the envelope of SNS. */
export const fromSns = (message: string) => ({
  Type: "Notification",
  MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
  TopicArn: "arn:aws:sns:eu-west-1:123456789012:postern",
  Message: message,
  Timestamp: "2026-01-05T10:00:02.000Z",
});

/** In the envelope of EventBridge. */
export const fromEventBridge = (detail: object) => ({
  version: "0",
  id: "6a7e8feb-b491-4cf7-a9f1-bf3703467718",
  "detail-type": "Email Bounced",
  source: "aws.ses",
  account: "123456789012",
  detail,
});
