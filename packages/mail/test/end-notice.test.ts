import { newMessageId } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { LANGUAGES, wordsIn } from "@postern/core/words";
import { expect, test } from "vitest";
import { decodeHeaderText } from "../src/header/encoded-words.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { toOctets } from "../src/header/octets.ts";
import { type AliasEnd, endNotice } from "../src/notices/end-notice.ts";
import { address } from "./support/mail.ts";

const id = newMessageId(testPorts().secrets.random);
const lines = (...all: readonly string[]) => all.join("\r\n");
const alias = address("shop@alias.example");
const about = { id, alias, now: 1_700_000_000_000 };

test.each<readonly [AliasEnd, string]>([
  ["its time is over", "It was set to accept mail until a certain time, which has passed."],
  [
    "its last message has arrived",
    "It was set to accept a certain number of messages, and the last of them has arrived.",
  ],
])("says that an alias has ended because %s, and names no recipient", (end, reason) => {
  expect(endNotice({ ...about, end, service: { name: "Postern" }, language: "en" })).toEqual({
    header: lines(
      'From: "Postern" <postmaster@alias.example>',
      "To: <shop@alias.example>",
      "Subject: Switched off: shop@alias.example",
      "Date: Tue, 14 Nov 2023 22:13:20 +0000",
      `Message-ID: <${id}@alias.example>`,
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
    ),
    body: lines(
      "The alias",
      "",
      "    shop@alias.example",
      "",
      "which forwards to this mailbox, no longer accepts mail.",
      reason,
      "",
      "Its owner can switch it on again.",
      "",
      "This message was sent automatically.",
      "",
    ),
  });
});

test.each(LANGUAGES)("is from the service, and in its language: %s", (language) => {
  const service = { name: `Müller & Söhne "Post", ${"é".repeat(30)}` };
  const { header, body } = endNotice({ ...about, end: "its time is over", service, language });
  expect(header).toMatch(/^[\r\n -~]*$/);
  const fields = HeaderFields.split(header);
  const read = (name: string) => HeaderFields.values(fields, name).map(decodeHeaderText);
  const text = new TextDecoder().decode(toOctets(body));
  const words = wordsIn(language).ended;
  expect(read("from")).toEqual([`${service.name} <postmaster@alias.example>`]);
  expect(read("subject")).toEqual([words.subject(alias)]);
  for (const said of [words.alias, words.stopped, words.timeOver, words.again, words.automatic, alias])
    expect(text).toContain(said);
});
