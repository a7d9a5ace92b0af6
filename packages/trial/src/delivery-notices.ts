import { createTransport } from "nodemailer";

export type DeliveryNotices = {
  /** Reports to the sender of a message that it was delivered to this address (RFC 3464). */
  send(sender: string, address: string): void;
  close(): void;
};

const notice = (sender: string, address: string): string =>
  [
    "From: Mail Delivery System <mailer-daemon@example.com>",
    `To: ${sender}`,
    "Subject: Delivered",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="notice"',
    "",
    "--notice",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; example.com",
    "",
    `Final-Recipient: rfc822; ${address}`,
    "Action: delivered",
    "Status: 2.0.0",
    "",
    "--notice--",
    "",
  ].join("\r\n");

/** Delivery notices, sent to the mail server on this port of loopback. */
export const deliveryNotices = (port: number): DeliveryNotices => {
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
    pool: true,
    maxConnections: 1,
  });
  return {
    send: (sender, address) => {
      const sent = transport.sendMail({
        envelope: { from: false, to: sender },
        raw: notice(sender, address),
      });
      // The server is stopping. Such a message is counted only as sent.
      sent.catch(() => {});
    },
    close: () => transport.close(),
  };
};
