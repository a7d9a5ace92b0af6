import { failureReason } from "@postern/core";
import { statusInWords } from "@postern/mail";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test.each([
  "552 Mailbox over quota",
  "552 Requested action aborted: exceeded storage allocation",
  "552 5.0.0 The user has exceeded the allowed disk quota",
  "550 ada's mailbox is full",
  "550 Mailbox size limit exceeded",
  "554 5.3.0 Quota has been exceeded",
  "452 Inbox full",
  "450 Recipient is over the storage limit",
  "550 That account is over its limit",
  "550 Quota (100 MB) reached",
  "554 There is not enough storage left",
  "550 No space left in the mailbox of this user",
  "550 The mailbox has reached its maximum size",
  "552 5.2.0 Insufficient storage",
  "552 5.2.0 Would go over quota",
  "552 sorry, over quota for now (#5.1.1)",
  "550 Too many messages on the server for this user",
  "550 A full mailbox is all that we have",
  "550 Das Postfach ist leider voll",
  "550 Boîte aux lettres pleine",
  "550 Buzón lleno",
])("%s: the mailbox is full", (reply) => {
  expect(statusInWords(null, reply)).toBe("5.2.2");
  expect(statusInWords(/\d\.\d\.\d/.exec(reply)?.[0] ?? null, reply.replaceAll(" ", "\r\n  "))).toBe("5.2.2");
});

test.each([
  "552 Message size exceeds fixed limit",
  "552 Too much mail data",
  "552 5.0.0 too big",
  "554 Your message is too large for us",
  "550 The file size is larger than we take",
  "554 5.6.0 Line too long",
])("%s: the message is too large", (reply) => {
  expect(statusInWords(null, reply)).toBe("5.3.4");
});

test.each([
  [null, "552 no"],
  [null, "550 You have gone over your sending quota"],
  [null, "451 Sender rate limit exceeded"],
  [null, "452 Insufficient system storage"],
  [null, "550 Denied after MAIL FROM:<bob@sender.example> SIZE=10"],
  [null, "554 It has been in the queue for too long"],
  ["5.0.0", "550 5.0.0 no"],
  ["5.3.4", "552 5.3.4 Larger than the mailbox quota allows"],
  ["5.2.2", "552 5.2.2 Message too large for what is left"],
  ["5.7.1", "550 5.7.1 Quota exceeded"],
  ["5.1.1", "550 5.1.1 Mailbox unknown, or full"],
])("the status %s stays: %s", (status, reply) => {
  expect(statusInWords(status, reply)).toBe(status);
});

test("words change no status that says why, except one about an address that comes with 552", async () => {
  const status = fc.stringMatching(/^[45]\.[0-7]\.\d{1,2}$/);
  await fc.assert(
    fc.property(status, (status) => {
      const reason = failureReason(null, status);
      const read = statusInWords(status, `550 ${status} Mailbox full`);
      expect(read).toBe(reason === "other" ? "5.2.2" : status);
      expect(failureReason(552, statusInWords(status, "552 Mailbox full"))).toBe(
        reason === "other" || reason === "mailbox_unknown" ? "mailbox_full" : reason,
      );
    }),
  );
});
