import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HeaderFields } from "@postern/mail";
import { startDovecot } from "@postern/test-support/dovecot";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { startForwarder } from "@postern/test-support/forwarder";
import { newDirectory } from "@postern/test-support/new-directory";
import { startPostfix, swaks } from "@postern/test-support/postfix";
import { runsWhole } from "@postern/test-support/runs-whole";
import { afterAll, expect, test } from "vitest";
import { decodings } from "./support/decodings.ts";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";

/*
 * People write to an alias, and its owner answers all of them: with a real client, through the real server and a real Postfix, into
 * mailboxes of a real Dovecot.
 */

const DOMAIN = "alias.example.com";
const ALIAS = `shop@${DOMAIN}`;
const [ADA, BOB, EVE] = ["ada@home.example", "bob@sender.example", "eve@other.example"] as const;
/** Each test has aliases and mailboxes of its own: all of them share the servers, which take seconds to start. */
const [ALIAS_2, ADA_2] = [`shop-2@${DOMAIN}`, "ada-2@home.example"];
const [ALIAS_3, ADA_3] = [`shop-3@${DOMAIN}`, "ada-3@home.example"];
/** How often each side writes. */
const TURNS = runsWhole(import.meta.url) ? 5 : 2;

/** A message as a mail client reads it. */
const read = (raw: string) => {
  const header = raw.slice(0, HeaderFields.lengthIn(raw));
  const fields = HeaderFields.split(header);
  const value = (name: string): string => HeaderFields.values(fields, name)[0] ?? "";
  const addresses = (name: string): readonly string[] => value(name).match(/[^\s<>",]+@[^\s<>",]+/g) ?? [];
  return { value, addresses, body: raw.slice(header.length + 2) };
};

type Read = ReturnType<typeof read>;

const ATTACHMENT = randomBytes(20_000).toString("base64").replace(/.{76}/g, "$&\r\n");

/** What a mail client sends, with an attachment. */
const written = (author: string, fields: Readonly<Record<string, string>>, text: string): string =>
  [
    "X-Originating-IP: [198.51.100.7]",
    `User-Agent: Mail of ${author}`,
    `From: "The real name" <${author}>`,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    "Date: Tue, 14 Nov 2023 22:13:20 +0000",
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=part",
    "",
    "--part",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    text,
    "--part",
    "Content-Type: application/octet-stream; name=data.bin",
    "Content-Transfer-Encoding: base64",
    "",
    ATTACHMENT,
    "--part--",
    "",
  ].join("\r\n");

const dovecot = await startDovecot();
afterAll(dovecot.stop);
const aliases = await startForwarder();
afterAll(aliases.stop);
const people = ["home.example", "sender.example", "other.example"];
const postfix = await startPostfix({
  ...Object.fromEntries(people.map((domain) => [domain, { lmtp: dovecot.port }])),
  [DOMAIN]: aliases.port,
});
afterAll(postfix.stop);
const allowed = { TXT: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = await startFakeDns({
  "home.example": allowed,
  "_dmarc.home.example": { TXT: ["v=DMARC1; p=reject"] },
  "sender.example": allowed,
  "forged.example": { TXT: ["v=spf1 -all"] },
});
afterAll(() => dns.close());
const { start, counts } = await newMailServer(DOMAIN, {
  [ALIAS]: [ADA],
  [ALIAS_2]: [ADA_2],
  [ALIAS_3]: [ADA_3],
});
const { port } = await start({
  POSTERN_RELAY_URL: `smtp://127.0.0.1:${postfix.port}`,
  POSTERN_DNS: `127.0.0.1:${dns.port}`,
});
aliases.leadTo(port);
const file = join(newDirectory(), "message");

/** Sends a message to these addresses as its author's server does. */
const send = async (author: string, to: readonly string[], text: string) => {
  await writeFile(file, text);
  const envelope = ["--from", author, "--to", to.join()];
  const { code, output } = await swaks(postfix.port, [...envelope, "--data", `@${file}`]);
  expect(code, output).toBe(0);
};

/** Message number `n` (from 1) in a mailbox. */
const arrived = async (mailbox: string, n: number): Promise<Read> => {
  const inbox = () => dovecot.messages(mailbox);
  await expect.poll(async () => (await inbox()).length).toBeGreaterThanOrEqual(n);
  return read((await inbox())[n - 1] ?? expect.unreachable());
};

const idOf = (author: string, n: number) => `<${n}.${author.replace("@", ".mailer@")}>`;

test("several messages each way, to everyone, with attachments: the owner's address appears nowhere in what the others get", async () => {
  const sent: { readonly author: string; readonly id: string }[] = [];
  let last: Read | null = null;
  for (let n = 1; n <= TURNS; n += 1) {
    // Bob answers everyone in the last message that he got.
    const toBob: Read | null = last;
    const bobs = idOf(BOB, n);
    await send(
      BOB,
      [ALIAS, EVE],
      written(
        BOB,
        {
          To: ALIAS,
          Cc: EVE,
          Subject: "Re: Plans",
          "Message-ID": bobs,
          ...(toBob && {
            "In-Reply-To": toBob.value("message-id"),
            References: `${toBob.value("references")} ${toBob.value("message-id")}`,
          }),
        },
        `Wörd ${n}`,
      ),
    );
    sent.push({ author: BOB, id: bobs });
    const toAda = await arrived(ADA, n);
    expect(toAda.body).toContain(ATTACHMENT);
    for (const name of ["from", "to", "cc", "reply-to", "sender"]) {
      for (const address of toAda.addresses(name)) expect(address.endsWith(`@${DOMAIN}`)).toBe(true);
    }
    // Her own messages are in the thread under the ids that she gave them.
    const ownIds = sent.filter(({ author }) => author === ADA).map(({ id }) => id);
    for (const id of ownIds) expect(toAda.value("references")).toContain(id);
    if (ownIds.length > 0) expect(toAda.value("in-reply-to")).toBe(ownIds.at(-1));

    // Ada's mail client does not know that the alias is hers.
    const everybody = ["from", "to", "cc"].flatMap(toAda.addresses);
    expect(new Set(everybody).size).toBe(3);
    const [bob = "", ...others] = everybody;
    const adas = idOf(ADA, n);
    await send(
      ADA,
      everybody,
      written(
        ADA,
        {
          To: bob,
          Cc: others.join(", "),
          Subject: "Re: Plans",
          "Message-ID": adas,
          "In-Reply-To": toAda.value("message-id"),
          References: `${toAda.value("references")} ${toAda.value("message-id")}`,
        },
        `Answer ${n}`,
      ),
    );
    sent.push({ author: ADA, id: adas });
    last = await arrived(BOB, n);
    // Eve has Bob's message too, directly from him.
    await arrived(EVE, 2 * n);
    expect(last.addresses("from")).toEqual([ALIAS]);
    expect(last.addresses("to")).toEqual([BOB]);
    expect(last.addresses("cc").toSorted()).toEqual([ALIAS, EVE].toSorted());
    expect(last.body).toContain(ATTACHMENT);
    expect(last.body).toContain(`Answer ${n}`);
    expect(last.value("in-reply-to")).toBe(bobs);
    for (const { author, id } of sent) {
      if (author === BOB) expect(last.value("references")).toContain(id);
    }
  }

  await expect.poll(() => counts(ALIAS)).toEqual({ ...NOTHING, sent: TURNS, replied: 2 * TURNS });
  const inboxes = await Promise.all([BOB, EVE].map(dovecot.messages));
  const fromAda = inboxes.flat().filter((raw) => read(raw).value("return-path") !== `<${BOB}>`);
  expect(fromAda).toHaveLength(2 * TURNS);
  for (const text of fromAda.flatMap((raw) => decodings(raw))) {
    // The id of a copy, which is in base32, can end with any three letters.
    expect(text).not.toMatch(/(?<![a-z2-7]{3})ada@|home\.example|real name|198\.51\.100|Mail of/i);
  }
  // Each of them sees one thread: Eve has Bob's messages from him, and the answers to them from the alias.
  for (const [mailbox, messages] of [
    [ADA, TURNS],
    [BOB, TURNS],
    [EVE, 2 * TURNS],
  ] as const) {
    expect(await dovecot.messages(mailbox)).toHaveLength(messages);
    const { value } = await arrived(mailbox, 1);
    expect(await dovecot.threadLength(mailbox, value("message-id"))).toBe(messages);
  }
});

test("nobody else can write from the alias, and whoever tries learns why", async () => {
  await send(BOB, [ALIAS_2], written(BOB, { To: ALIAS_2, Subject: "Hello" }, "Hello"));
  const [bob = ""] = (await arrived(ADA_2, 1)).addresses("from");
  const refused = async (author: string, fields: Readonly<Record<string, string>> = {}) => {
    const header = [
      "--h-From",
      author,
      ...Object.entries(fields).flatMap(([name, value]) => [`--h-${name}`, value]),
    ];
    const { code, output } = await swaks(port, ["--from", author, "--to", bob, ...header]);
    return `${code} ${/^<\*\* (.*)$/m.exec(output)?.[1] ?? ""}`;
  };
  // Only those who may write in that name can find out whether the author is a recipient.
  expect(await refused("eve@evil.example")).toMatch(/^26 550 5\.7\.26 /);
  expect(await refused("ada@forged.example")).toMatch(/^26 550 5\.7\.26 /);
  const { code, output } = await swaks(port, [
    "--from",
    "ada@forged.example",
    "--to",
    bob,
    "--h-From",
    ADA_2,
  ]);
  expect(code, output).toBe(26);
  expect(output).toContain("550 5.7.26 ");
  await expect.poll(() => counts(ALIAS_2)).toMatchObject({ sent: 1, replied: 0 });
});

test("the owner is told that a message to a contact was not delivered", async () => {
  const nobody = "nobody@gone.example";
  await send(BOB, [ALIAS_3], written(BOB, { To: ALIAS_3, Cc: nobody, Subject: "Hello" }, "Hello"));
  const [contact = ""] = (await arrived(ADA_3, 1)).addresses("cc");
  await send(
    ADA_3,
    [contact],
    written(ADA_3, { To: contact, Subject: "Re: Hello", "Message-ID": idOf(ADA_3, 1) }, "Hi"),
  );
  const notice = await arrived(ADA_3, 2);
  expect(notice.value("subject")).toBe(`Undelivered: your message to ${nobody}`);
  expect(notice.value("in-reply-to")).toBe(idOf(ADA_3, 1));
  expect(await counts(ALIAS_3)).toMatchObject({ bounced: 0 });
});
