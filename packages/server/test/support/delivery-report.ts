/** A report of delivery about a message to this address (RFC 3464), as lines that end with CRLF. */
export const deliveryReport = (to: string, action: string, status: string): string =>
  [
    "From: MAILER-DAEMON@relay.test",
    "Subject: Undelivered mail",
    "MIME-Version: 1.0",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; relay.test",
    "",
    `Final-Recipient: rfc822; ${to}`,
    `Action: ${action}`,
    `Status: ${status}`,
    "",
    "--b--",
  ].join("\r\n");
