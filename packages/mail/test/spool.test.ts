import { EVENT_RETENTION } from "@postern/core/store";
import { MAIL_RETENTION, spoolOctets } from "@postern/mail";
import { expect, test } from "vitest";
import { aCopy, aMessage } from "./samples.ts";

test("mail is remembered as long as the events that it causes", () => {
  expect(MAIL_RETENTION).toBe(EVENT_RETENTION);
});

test("a message takes up the size of its header, plus 1 KiB for each copy", () => {
  const message = aMessage(1);
  expect(spoolOctets({ message, copies: [aCopy(message)] })).toBe(message.header.length + 1024);
  expect(spoolOctets({ message, copies: [aCopy(message), aCopy(message)] })).toBe(
    message.header.length + 2048,
  );
});
