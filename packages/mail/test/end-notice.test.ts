import { newMessageId } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { expect, test } from "vitest";
import { type AliasEnd, endNotice } from "../src/notices/end-notice.ts";
import { address } from "./support/mail.ts";

const id = newMessageId(testPorts().secrets.random);
const lines = (...all: readonly string[]) => all.join("\r\n");

test.each<readonly [AliasEnd, readonly string[]]>([
  ["its time is over", ["It was set to accept mail until a certain time, which has passed."]],
  [
    "its last message has arrived",
    ["It was set to accept a certain number of messages, and the last of", "them has arrived."],
  ],
])("says that an alias has ended because %s, and names no recipient", (end, reason) => {
  const alias = address("shop@alias.example");
  expect(endNotice({ id, alias, end, now: 1_700_000_000_000 })).toEqual({
    header: lines(
      'From: "Mail Delivery System" <postmaster@alias.example>',
      "To: <shop@alias.example>",
      "Subject: Switched off: shop@alias.example",
      "Date: Tue, 14 Nov 2023 22:13:20 +0000",
      `Message-ID: <${id}@alias.example>`,
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=us-ascii",
      "",
    ),
    body: lines(
      "The alias",
      "",
      "    shop@alias.example",
      "",
      "which forwards to this mailbox, no longer accepts mail.",
      ...reason,
      "",
      "Its owner can switch it on again.",
      "",
      "This message was sent automatically.",
      "",
    ),
  });
});
