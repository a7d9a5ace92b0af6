import { inspect } from "node:util";
import { LANGUAGES, parseService, wordsIn } from "@postern/core/words";
import { type VerificationSettings, verificationWriter } from "@postern/mail";
import fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import { decoded } from "./support/html.ts";
import { address } from "./support/mail.ts";

const settings = { from: "postern@mail.example", publicUrl: "https://postern.example" };
const message = { id: "0b5c", to: address("ada@example.com"), token: "tok_en-1", now: 1_700_000_000_000 };

const linkIn = (text: string | undefined): string => {
  const [link, ...more] = new Set(text?.match(/https?:\/\/[^\s"<]+/g));
  if (link === undefined || more.length > 0) throw new Error(`not exactly one link in: ${text}`);
  return link;
};

const written = async (
  changed: Partial<typeof message> = {},
  changedSettings: Partial<VerificationSettings> = {},
) => {
  const { header, body } = verificationWriter({ ...settings, ...changedSettings }).write({
    ...message,
    ...changed,
  });
  const raw = `${header}\r\n${Buffer.from(body).toString("latin1")}`;
  return { raw, parsed: await PostalMime.parse(raw) };
};

/** Those of the HTML part of a service with a website. */
const TAGS = [
  ..."html head meta meta meta title body div p p a p br a p p p p br a".split(" ").map((tag) => `<${tag}`),
];

const headersOf = (parsed: { headers: { key: string; value: string }[] }, key: string) =>
  parsed.headers.filter((header) => header.key === key).map(({ value }) => value);

test("is from the configured address to one mailbox, and has the id and the time that it was given", async () => {
  const { parsed } = await written();
  expect(verificationWriter(settings).from).toBe("postern@mail.example");
  expect(parsed.from).toMatchObject({ name: "Postern", address: "postern@mail.example" });
  expect(parsed.to).toMatchObject([{ name: "", address: "ada@example.com" }]);
  expect(parsed.subject).toBe("Confirm that Postern may forward mail to this address");
  expect(parsed.messageId).toBe("<0b5c@mail.example>");
  expect(Date.parse(parsed.date ?? "")).toBe(message.now);
});

describe.each(LANGUAGES)("in the language %s", (language) => {
  test("the sender, the subject and both parts name the service, and both parts its website", async () => {
    const service = { name: "Müller & Söhne <Post>", url: "https://post.example/über-uns?a=1&b=2" };
    const { parsed } = await written({}, { service, language });
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
      const { raw, parsed } = await written({}, { service, language });
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

test("is marked as automatic and names no software", async () => {
  const { parsed } = await written();
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

test("both parts contain the same link, how long it works, and what to do if the reader did not ask for it", async () => {
  const { parsed } = await written();
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

test("loads nothing from the network", async () => {
  const { parsed } = await written();
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
  const { parsed } = await written({}, { publicUrl });
  expect(linkIn(parsed.text)).toBe(link);
  expect(linkIn(decoded(parsed.html ?? ""))).toBe(link);
});

test("a link cannot add markup", async () => {
  const publicUrl = "https://postern.example/a&amp;b'c";
  const { parsed } = await written({ token: `"><script>alert('1')</script>&lt;` }, { publicUrl });
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
  await fc.assert(
    fc.asyncProperty(anyAddress, token, async (to, token) => {
      const { raw, parsed } = await written({ to, token });
      expect(headersOf(parsed, "to")).toEqual([to]);
      const link = linkIn(parsed.text);
      expect(new URL(link).searchParams.get("token")).toBe(token);
      expect(linkIn(decoded(parsed.html ?? ""))).toBe(link);
      expect(raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
      expect(raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
      expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
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

test.each<[Partial<VerificationSettings>, string]>([
  ...["", "postern.example", "/path"].map((publicUrl): [{ publicUrl: string }, string] => [
    { publicUrl },
    "publicUrl must look like https://postern.example.com",
  ]),
  [{ from: "" }, "from must be an email address"],
  [{ from: "hunter2" }, "from must be an email address"],
  [{ from: "Postern <postern@hunter2.example>" }, "from must be an email address"],
  [{ service: { name: "hunter2\r\nBcc: eve@example.com" } }, "service.name must be text on one line"],
  [{ service: { name: "Posthorn", url: "javascript:hunter2" } }, "service.url must be a URL"],
])("the settings %j are refused, and not repeated", (changed, reason) => {
  try {
    verificationWriter({ ...settings, ...changed });
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: expect.stringContaining(reason) });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("hunter2");
    return;
  }
  expect.unreachable("they are accepted");
});
