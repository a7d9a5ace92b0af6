import type { EmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { LANGUAGES, parseService, wordsIn } from "@postern/core/words";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { smtpMail, verificationWriter } from "../src/index.ts";
import { decoded } from "./support/html.ts";
import { address, message, parseMail, settings, startMailServer } from "./support/mail-server.ts";

const linkIn = (text: string | undefined): string => {
  const [link, ...more] = new Set(text?.match(/https?:\/\/[^\s"<]+/g));
  if (link === undefined || more.length > 0) throw new Error(`not exactly one link in: ${text}`);
  return link;
};

const open = async (overrides: Partial<Parameters<typeof smtpMail>[0]> = {}) => {
  const server = await startMailServer();
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings, ...overrides });
  onTestFinished(() => mail.close());
  const receive = async (sent: { to: EmailAddress; token: string }) => {
    expect(await mail.send({ ...message, ...sent })).toMatchObject({ value: undefined });
    const received = server.received.at(-1);
    if (received === undefined) throw new Error("nothing was received");
    return { ...received, parsed: await parseMail(received.raw) };
  };
  return { server, receive };
};

/** Those of the HTML part of a service with a website. */
const TAGS = [
  ..."html head meta meta meta title body div p p a p br a p p p p br a".split(" ").map((tag) => `<${tag}`),
];

const headersOf = (parsed: { headers: { key: string; value: string }[] }, key: string) =>
  parsed.headers.filter((header) => header.key === key).map(({ value }) => value);

test("sends one message to one recipient, from the configured address", async () => {
  const { server, receive } = await open();
  const before = Math.floor(Date.now() / 1000) * 1000;
  const { from, to, parsed } = await receive(message);
  const after = Date.now();
  expect(server.received).toHaveLength(1);
  expect({ from, to }).toEqual({ from: "postern@mail.example", to: ["ada@example.com"] });
  expect(parsed.from).toMatchObject({ name: "Postern", address: "postern@mail.example" });
  expect(parsed.to).toMatchObject([{ name: "", address: "ada@example.com" }]);
  expect(parsed).not.toHaveProperty("cc");
  expect(parsed).not.toHaveProperty("bcc");
  expect(parsed.subject).toBe("Confirm that Postern may forward mail to this address");
  const date = Date.parse(parsed.date ?? "");
  expect(date).toBeGreaterThanOrEqual(before);
  expect(date).toBeLessThanOrEqual(after);
});

describe.each(LANGUAGES)("in the language %s", (language) => {
  test("the sender, the subject and both parts name the service, and both parts its website", async () => {
    const service = { name: "Müller & Söhne <Post>", url: "https://post.example/über-uns?a=1&b=2" };
    const { receive } = await open({ service, language });
    const { parsed } = await receive(message);
    const words = wordsIn(language).message;
    expect(parsed.from).toMatchObject({ name: service.name, address: "postern@mail.example" });
    expect(parsed.subject).toBe(words.subject(service.name));
    expect(parsed.html).toContain(`<html lang="${language}">`);
    expect(parsed.html).not.toContain("<Post>");
    const said = [words.request(service.name), words.lifetime(24), words.ignored, words.neverAgain];
    for (const part of [parsed.text, decoded(parsed.html ?? "")]) {
      expect(said.filter((text) => !part?.includes(text))).toEqual([]);
      expect(part).toContain(service.url);
      expect(part).not.toContain("Postern");
    }
  });
});

test("any name and website of a service make a 7-bit message with that sender, and no other header", async () => {
  const name = fc
    .string({
      unit: fc.constantFrom(..."<>&\"'\\()@,;:=?. éß", "📮", "=?utf-8?q?x?="),
      minLength: 1,
      maxLength: 12,
    })
    .filter((text) => parseService({ name: text }).isOk());
  const path = fc.string({ unit: fc.constantFrom(..."<>\"'&;/é?#"), maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(name, path, fc.constantFrom(...LANGUAGES), async (name, path, language) => {
      const service = { name, url: `https://post.example/${path}` };
      const writer = verificationWriter({ ...settings, service, language });
      const { header, body } = valueOf(await writer.write(message));
      const raw = `${header}\r\n${Buffer.from(body).toString("latin1")}`;
      const parsed = await parseMail(raw);
      expect(raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
      expect(parsed.headers).toHaveLength(8);
      expect(parsed.from).toMatchObject({ name, address: "postern@mail.example" });
      expect(parsed.subject).toBe(wordsIn(language).message.subject(name));
      expect(parsed.html?.match(/<\w+/g)).toEqual(TAGS);
      expect(decoded(parsed.html ?? "")).toContain(`${name}<br>`);
    }),
    {
      numRuns: 300,
      examples: [
        ["x".repeat(64), "", "de"],
        ["é".repeat(64), "", "de"],
        ["</title><script>", `"><script>`, "en"],
      ],
    },
  );
});

test("the message is marked as automatic and names no software", async () => {
  const { receive } = await open();
  const { parsed } = await receive(message);
  expect(headersOf(parsed, "auto-submitted")).toEqual(["auto-generated"]);
  expect(parsed.headers.map(({ key }) => key).sort()).toEqual([
    "auto-submitted",
    "content-type",
    "date",
    "from",
    "message-id",
    "mime-version",
    "subject",
    "to",
  ]);
});

test("the message does not name the account", async () => {
  const { receive } = await open();
  const { raw } = await receive(message);
  expect(raw).not.toContain(message.account);
});

test("each message has its own id, at the domain of the sender", async () => {
  const { receive } = await open();
  const first = await receive(message);
  const second = await receive(message);
  expect(first.parsed.messageId).toMatch(/^<[0-9a-f-]{36}@mail\.example>$/);
  expect(second.parsed.messageId).toMatch(/^<[0-9a-f-]{36}@mail\.example>$/);
  expect(second.parsed.messageId).not.toBe(first.parsed.messageId);
});

test("both parts contain the same link, how long it works, and what to do if the reader did not ask for it", async () => {
  const { receive } = await open();
  const { parsed } = await receive(message);
  const link = "https://postern.example/recipients/verify?token=tok_en-1";
  expect(parsed.headers.at(-1)?.value).toMatch(/^multipart\/alternative/);
  expect(linkIn(parsed.text)).toBe(link);
  expect(linkIn(decoded(parsed.html ?? ""))).toBe(link);
  for (const part of [parsed.text, decoded(parsed.html ?? "")]) {
    expect(part).toContain("The link works for 24 hours.");
    expect(part).toContain(
      "If this was not you, ignore this message. No mail is forwarded to this address unless you confirm.",
    );
    expect(part).toContain(
      "To get no more messages like this one, open the link: the page has a button for that too. Opening the link does not confirm anything.",
    );
  }
});

test("the message loads nothing from the network", async () => {
  const { receive } = await open();
  const { parsed } = await receive(message);
  expect(parsed.attachments).toEqual([]);
  expect(parsed.html).not.toMatch(
    /<(img|script|link|iframe|video|object|form|base)\b|url\(|@import|\bon\w+=/i,
  );
  expect(parsed.html?.match(/\b(src|srcset|background|action)=/g)).toBeNull();
});

test.each([
  ["https://postern.example/", "https://postern.example/recipients/verify?token=tok_en-1"],
  ["https://example.com/mail/v1//", "https://example.com/mail/v1/recipients/verify?token=tok_en-1"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080/recipients/verify?token=tok_en-1"],
])("links start with the public URL %s", async (publicUrl, link) => {
  const { receive } = await open({ publicUrl });
  const { parsed } = await receive(message);
  expect(linkIn(parsed.text)).toBe(link);
  expect(linkIn(decoded(parsed.html ?? ""))).toBe(link);
});

test("a link cannot add markup", async () => {
  const { receive } = await open({ publicUrl: "https://postern.example/a&amp;b'c" });
  const { parsed } = await receive({ ...message, token: `"><script>alert('1')</script>&lt;` });
  expect(parsed.html).not.toContain("<script");
  const [href] = parsed.html?.match(/(?<=href=")[^"]*/) ?? [];
  const link = new URL(decoded(href ?? ""));
  expect(link.pathname).toBe("/a&amp;b'c/recipients/verify");
  expect(link.searchParams.get("token")).toBe(`"><script>alert('1')</script>&lt;`);
});

const LOCAL_PART_CHARACTERS = "abzAZ09!#$%&'*+/=?^_`{|}~-";
const atom = fc.string({ unit: fc.constantFrom(...LOCAL_PART_CHARACTERS), minLength: 1, maxLength: 20 });
const localPart = fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join("."));
const anyAddress = fc
  .tuple(
    localPart,
    fc.constantFrom("example.com", "xn--bcher-kva.example", `${"a".repeat(63)}.${"b".repeat(63)}.org`),
  )
  .map((parts) => address(parts.join("@")));
const token = fc.string({
  unit: fc.constantFrom(..."abcXYZ019-_.~"),
  minLength: 1,
  maxLength: 512,
});

test("any address and token make a 7-bit message to that address that contains that token", async () => {
  const { receive } = await open();
  await fc.assert(
    fc.asyncProperty(anyAddress, token, async (to, token) => {
      const received = await receive({ to, token });
      expect(received.to).toEqual([to]);
      expect(headersOf(received.parsed, "to")).toEqual([to]);
      const link = linkIn(received.parsed.text);
      expect(new URL(link).searchParams.get("token")).toBe(token);
      expect(linkIn(decoded(received.parsed.html ?? ""))).toBe(link);
      expect(received.raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
      expect(received.raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
      expect(Math.max(...received.raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
    }),
    {
      numRuns: 200,
      examples: [
        [address("=?utf-8?Q?=41=0D=0ABcc=3A?=@example.com"), "t"],
        [address("$id`id`|{}@example.com"), "t"],
        [address("SIZE=1/RCPT-TO=x%0D%0A@example.com"), "t"],
        [address(`${"x".repeat(64)}@example.com`), "t".repeat(512)],
      ],
    },
  );
});
