import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createTransport } from "nodemailer";
import PostalMime from "postal-mime";
import { expect, onTestFinished, test } from "vitest";
import { newDirectory } from "../../test-support/src/new-directory.ts";
import { storeMessage } from "../src/mailbox-files.ts";
import { startMailboxPages } from "../src/mailbox-pages/mailbox-pages.ts";
import { type Delivery, startMailboxes } from "../src/mailboxes.ts";

const API = "http://127.0.0.1:8080";

/** The pages, with real mailboxes. What is sent on the pages arrives in the mailboxes as well. */
const start = async () => {
  const outside = newDirectory();
  const directory = join(outside, "mailboxes");
  const deliveries: Delivery[] = [];
  const mailboxes = await startMailboxes({ directory, onDelivery: (delivery) => deliveries.push(delivery) });
  const { port: mailPort } = new URL(mailboxes.url);
  const pages = await startMailboxPages({ port: 0, directory, mailPort: Number(mailPort), api: API });
  const transport = createTransport({ url: mailboxes.url });
  onTestFinished(async () => {
    transport.close();
    await pages.stop();
    await mailboxes.stop();
  });
  const { origin, port } = new URL(pages.url);
  /** Unlike `fetch`, this leaves the path as it is, and can name another host. */
  const ask = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    form?: Readonly<Record<string, string>>,
  ) => {
    const asked = request({
      ...{ host: "127.0.0.1", port, path, method: form === undefined ? "GET" : "POST" },
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
    asked.end(form === undefined ? undefined : `${new URLSearchParams(form)}`);
    const [response]: IncomingMessage[] = await once(asked, "response");
    if (response === undefined) return expect.unreachable("no response");
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };
  return {
    outside,
    directory,
    deliveries,
    origin,
    port,
    ask,
    arrive: (to: string, raw: string) =>
      transport.sendMail({ envelope: { from: "bob@shop.example", to }, raw }),
    /** Sends what somebody has typed. */
    write: (
      typed: Readonly<Record<string, string>>,
      headers: Readonly<Record<string, string>> = { origin },
    ) => ask("/messages", headers, typed),
    stopMail: mailboxes.stop,
  };
};

const DRAFT = {
  from: "Bob <bob@shop.example>",
  to: "ada@example.com",
  subject: "Your <order>",
  text: "\n\nOn its way.",
};

test("mailboxes are listed by their newest message, and messages by number, with how many there are", async () => {
  const { arrive, ask, directory } = await start();
  expect((await ask("/")).body).toContain("No mail has arrived yet.");
  for (let n = 1; n <= 101; n += 1) {
    const octets = Buffer.from(`Subject: no. ${n}.\r\n\r\n`);
    storeMessage(directory, "many@example.com", octets, await PostalMime.parse(octets));
  }
  await arrive("ada@example.com", "Subject: a\r\n\r\n");
  const all = (await ask("/")).body;
  expect(all.match(/<bdi>\S+@example\.com<\/bdi>.*?messages?,/g)).toEqual([
    expect.stringMatching(/ada@.*>1 message,/),
    expect.stringMatching(/many@.*>101 messages,/),
  ]);
  const { body } = await ask("/mailboxes/many%40example.com");
  expect(body).toContain("The newest 100 of 101 messages");
  const subjects = Array.from({ length: 100 }, (_, n) => `no. ${101 - n}.`);
  expect(body.match(/no\. \d+\./g)).toEqual(subjects);
});

test("names, subjects and texts of hostile mail are shown as text, under a policy that allows nothing", async () => {
  const { arrive, ask } = await start();
  const evil = (where: string) => `</pre></bdi><img src=x onerror="alert('${where}')">`;
  const address = "a/b%2F&'c@example.com";
  await arrive(
    "ada@example.com",
    [
      `From: "${evil("name").replaceAll('"', '\\"')}" <evil@shop.example>`,
      `To: "${evil("to").replaceAll('"', '\\"')}" <shop@postern.example>`,
      `Subject: ${evil("subject")}`,
      "",
      evil("text"),
    ].join("\r\n"),
  );
  await arrive(address, "Subject: a\r\n\r\nb\r\n");
  const folder = "/mailboxes/ada%40example.com";
  const quoted = `/mailboxes/${encodeURIComponent(address.toLowerCase())}`;
  const [, all, ...others] = await Promise.all(
    ["/nothing", "/", folder, `${folder}/1`, `${folder}/1/reply`, quoted, `${quoted}/1`].map(async (path) => {
      const { status, headers, body } = await ask(path);
      expect([path, status]).toEqual([path, path === "/nothing" ? 404 : 200]);
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(body).not.toMatch(/<img|<script/);
      expect(body.match(/<pre/g)?.length).toBe(body.match(/<\/pre/g)?.length);
      return body;
    }),
  );
  expect(all).toContain(`href="${quoted.replace("'", "&#39;")}"`);
  for (const where of ["name", "to", "subject", "text"]) {
    expect(others.join("")).toContain(`&lt;img src=x onerror=&quot;alert(&#39;${where}&#39;)&quot;&gt;`);
  }
  const raw = await ask(`${folder}/1/as-it-arrived`);
  expect(raw.headers).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  expect(raw.body).toContain(`Subject: ${evil("subject")}`);
});

test("no path leads out of the mailboxes", async () => {
  const { arrive, ask, outside, directory } = await start();
  for (const name of ["1.eml", "1.txt"])
    writeFileSync(join(outside, name), "Subject: outside\r\n\r\noutside");
  writeFileSync(join(directory, "2.eml"), "Subject: outside\r\n\r\noutside");
  await arrive("ada@example.com", "Subject: inside\r\n\r\n");
  const ada = "/mailboxes/ada@example.com";
  expect((await ask(`${ada}/1`)).body).toContain("inside");
  for (const path of [
    ...["/mailboxes/..", "/mailboxes/../1", "/mailboxes/%2e%2e", "/mailboxes/%2e%2e/1", "/mailboxes/%2E./1"],
    ...["/mailboxes/ada@example.com%2f..%2f../1", "/mailboxes/../../1", "//1", "/mailboxes//1"],
    ...["/mailboxes/./2", "/mailboxes/%2e/2", `${ada}/../2`, `${ada}/..%2f2`, `${ada}/%2e%2e%2f%2e%2e%2f1`],
    ...[
      `${ada}/1.eml`,
      `${ada}/01`,
      `${ada}/1%00`,
      `${ada}%00/1`,
      `${ada}/..%5c2`,
      `${ada}/-1`,
      `${ada}/1/..`,
    ],
    ...["/mailboxes/%E0%A4%A/1", `/mailboxes/${"a".repeat(5000)}/1`],
  ]) {
    for (const end of ["", "/as-it-arrived", "/reply"]) {
      const { status, body } = await ask(path + end);
      expect([path + end, [400, 404, 414].includes(status ?? 0)]).toEqual([path + end, true]);
      expect(body).not.toContain("outside");
    }
  }
});

test("only this machine's names lead to the pages, and only their own form sends messages", async () => {
  const { origin, port, ask, write, deliveries } = await start();
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "localhost"]) {
    expect((await ask("/", { host })).status).toBe(200);
    expect((await write(DRAFT, { host, origin: `http://${host}` })).status).toBe(303);
  }
  expect(deliveries).toHaveLength(3);
  const rebound = `rebound.example:${port}`;
  for (const [headers, path] of [
    [{ host: rebound }, "/"],
    [{ host: "127.0.0.1.rebound.example" }, "/mailboxes/ada@example.com"],
  ] as const) {
    const { status, body } = await ask(path, headers);
    expect([status, body]).toEqual([403, expect.stringContaining("only as 127.0.0.1 or localhost")]);
    expect(body).not.toContain("ada@example.com");
  }
  for (const headers of [
    {},
    { origin: "null" },
    { origin: "http://evil.example" },
    { origin: API },
    { origin: `${origin}0` },
    { host: rebound, origin: `http://${rebound}` },
    { host: `localhost:${port}`, origin },
  ]) {
    expect([headers, (await write(DRAFT, headers)).status]).toEqual([headers, 403]);
  }
  expect(deliveries).toHaveLength(3);
});

test("a message is sent once, and a refused one is shown with the server's words and everything that was typed", async () => {
  const { ask, write, deliveries, stopMail } = await start();
  const { status, headers } = await write(DRAFT);
  expect([status, headers.location]).toEqual([303, "/sent"]);
  expect(deliveries).toMatchObject([{ to: "ada@example.com", text: expect.stringMatching(/On its way\./) }]);
  const { body: sent } = await ask("/sent");
  expect(sent).toContain("The mail server accepted the message.");
  expect((await ask("/mailboxes/ada@example.com/1")).body).toMatch(
    /Your &lt;order&gt;.*Bob &lt;bob@shop\.example&gt;/s,
  );

  const kept = ({ from, subject, to }: typeof DRAFT) => [
    `name="from" value="${from.replace("<", "&lt;").replace(">", "&gt;")}"`,
    `name="to" value="${to}"`,
    `name="subject" value="${subject.replace("<", "&lt;").replace(">", "&gt;")}"`,
    // Browsers leave out the first line break.
    '<textarea name="text" rows="8" maxlength="100000" dir="auto">\n\n\nOn its way.</textarea>',
  ];
  const expectRefused = async (changed: Partial<typeof DRAFT>, problem: string) => {
    const draft = { ...DRAFT, ...changed };
    const { status: refused, body } = await write(draft);
    expect(refused).toBe(422);
    for (const shown of [problem, ...kept(draft)]) expect(body).toContain(shown);
  };
  await expectRefused(
    { to: "nobody@example.com" },
    "refused the message. It said: <q>550 5.1.1 There is no such mailbox</q>",
  );
  await expectRefused(
    { to: "busy@example.com" },
    "does not take the message now. It said: <q>451 4.3.2 Try again later</q>",
  );
  for (const to of ["", "ada", "ada@", "a@example.com, b@example.com", "All: a@example.com;"]) {
    await expectRefused({ to }, "To must be one email address");
  }
  await expectRefused({ from: "Bob" }, "From must be one email address");
  expect(deliveries).toHaveLength(1);
  await stopMail();
  await expectRefused({}, "The mail server cannot be reached.");
  expect((await write({ ...DRAFT, text: "a".repeat(1024 * 1024) })).status).toBe(413);
});

test("only links to the API can be followed, and a reply is written to the sender by the owner of the mailbox", async () => {
  const { arrive, ask } = await start();
  const link = `${API}/recipients/verify?token=a.b-c_d%7E`;
  const others = [
    "http://evil.example/recipients/verify?token=a",
    `http://evil.example/?${API}/`,
    "http://127.0.0.1:8080@evil.example/",
    "http://127.0.0.1:80800/",
    "javascript:alert(1)",
  ];
  const message = (subject: string) =>
    `From: "Bob, at shop.example" <r-1@postern.example>\r\nSubject: ${subject}\r\n\r\n(${link})\r\n${others.join("\r\n")}\r\n`;
  await arrive("ada@example.com", message("Your order"));
  await arrive("ada@example.com", message("RE: Your order"));
  const { body } = await ask("/mailboxes/ada@example.com/1");
  const [, shown = ""] = /<pre[^>]*>(.*)<\/pre>/s.exec(body) ?? [];
  expect(shown.match(/<a [^>]*>/g)).toEqual([`<a href="${link}">`]);
  expect(shown.replaceAll(/<[^>]*>/g, "")).toBe([`(${link})`, ...others].join("\n"));
  for (const [number, subject] of [
    [1, "Re: Your order"],
    [2, "RE: Your order"],
  ]) {
    const { body: reply } = await ask(`/mailboxes/ada@example.com/${number}/reply`);
    for (const [name, value] of [
      ["from", "ada@example.com"],
      ["to", "r-1@postern.example"],
      ["subject", subject],
    ]) {
      expect(reply).toContain(`name="${name}" value="${value}"`);
    }
  }
});
