import { createInterface } from "node:readline";
import { ok } from "@postern/core";
import { failureOf } from "@postern/core/testing";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import { expect, test } from "vitest";
import { checkSmtp } from "../src/check-smtp.ts";
import { settings, startMailServer, startRawServer } from "./support/mail-server.ts";

const { from } = settings;
const senders = [from] as const;
const recipient = "operator@elsewhere.example";
const AMPLE_MS = 60_000;

/** A server with a fixed reply to each command, and what it has received. */
const scripted = async (replies: Readonly<Record<string, string>>) => {
  const received: string[] = [];
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      received.push(line);
      const reply = replies[line.split(/[ :]/, 1)[0] ?? ""] ?? "250 ok";
      if (reply !== "") socket.write(`${reply}\r\n`);
    });
  });
  return { url: `smtp://${host}`, received };
};

test("names the sender, resets the transaction, and does nothing else", async () => {
  const { url, received } = await scripted({ MAIL: "250-a reply\r\n250 of two lines" });
  const { security, sending } = await checkSmtp({ url, senders }, AMPLE_MS);
  expect(security).toEqual({ tls: null, isPrivate: true });
  expect(sending).toEqual(ok({ loggedIn: false, refused: [], recipientRefused: null, untried: 0 }));
  await expect.poll(() => received.slice(1)).toEqual([`MAIL FROM:<${from}>`, "RSET", "QUIT"]);
});

test("tries each sender and the null sender, and says which are refused", async () => {
  const commands: string[] = [];
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      commands.push(line);
      if (line === "MAIL FROM:<>") socket.write("501 Invalid MAIL FROM address provided\r\n");
      else if (line.includes("@second.example")) socket.write(`550-no\r\n550 <${line}>: no\r\n`);
      else socket.write("250 ok\r\n");
    });
  });
  const all = ["a@first.example", "a@second.example", "a@third.example", null] as const;
  const { sending } = await checkSmtp({ url: `smtp://${host}`, senders: all }, AMPLE_MS);
  const refused = [
    { from: "a@second.example", cause: { source: "smtp", reason: "550 to MAIL FROM" } },
    { from: null, cause: { source: "smtp", reason: "501 to MAIL FROM" } },
  ];
  expect(sending).toEqual(ok({ loggedIn: false, refused, recipientRefused: null, untried: 0 }));
  await expect
    .poll(() => commands.slice(1))
    .toEqual([...all.flatMap((each) => [`MAIL FROM:<${each ?? ""}>`, "RSET"]), "QUIT"]);
});

test.each([
  ["250 ok", null],
  ["550 5.7.1 no", "550 to RCPT TO"],
  ["451 later", "451 to RCPT TO"],
])("names the recipient once, after the first sender that is accepted: %s", async (reply, reason) => {
  const { url, received } = await scripted({ RCPT: reply });
  const { sending } = await checkSmtp({ url, senders: [null, from, from], recipient }, AMPLE_MS);
  const recipientRefused = reason && { source: "smtp", reason };
  expect(sending).toEqual(ok({ loggedIn: false, refused: [], recipientRefused, untried: 0 }));
  await expect
    .poll(() => received.slice(1))
    .toEqual([
      "MAIL FROM:<>",
      "RSET",
      `MAIL FROM:<${from}>`,
      `RCPT TO:<${recipient}>`,
      "RSET",
      `MAIL FROM:<${from}>`,
      "RSET",
      "QUIT",
    ]);
});

test("greets with this name, unless the URL has another one", async () => {
  const { url, received } = await scripted({});
  const name = "mx.alias.example";
  await checkSmtp({ url, name, senders }, AMPLE_MS);
  await checkSmtp({ url: `${url}?name=other.example`, name, senders }, AMPLE_MS);
  expect(received.filter((line) => line.startsWith("EHLO"))).toEqual([
    "EHLO mx.alias.example",
    "EHLO other.example",
  ]);
});

/** What is found out if the time is up as soon as the server has received this command. */
const checkUntil = async (
  command: string,
  replies: Readonly<Record<string, string>>,
  ...others: readonly null[]
) => {
  const deadlinePasses = holdDeadlines();
  const { url, received } = await scripted(replies);
  const checked = checkSmtp({ url, senders: [from, ...others], recipient }, AMPLE_MS);
  await expect.poll(() => received.some((line) => line.startsWith(command))).toBe(true);
  deadlinePasses();
  return (await checked).sending;
};

test("a server that does not reply to the recipient", async () => {
  const recipientRefused = { source: "smtp", reason: "timeout" };
  expect(await checkUntil("RCPT", { RCPT: "" })).toEqual(
    ok({ loggedIn: false, refused: [], recipientRefused, untried: 0 }),
  );
});

test("a server that does not reply to RSET", async () => {
  const refused = [{ from, cause: { source: "smtp", reason: "550 to MAIL FROM" } }];
  expect(await checkUntil("RSET", { MAIL: "550 no", RSET: "" }, null)).toEqual(
    ok({ loggedIn: false, refused, recipientRefused: null, untried: 1 }),
  );
});

test("a server that ends the session in reply to RSET", async () => {
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      if (line === "RSET") socket.end("421 closing\r\n");
      else socket.write(line.startsWith("MAIL") ? "550 no\r\n" : "250 ok\r\n");
    });
  });
  const { sending } = await checkSmtp({ url: `smtp://${host}`, senders: [from, null] }, AMPLE_MS);
  const refused = [{ from, cause: { source: "smtp", reason: "550 to MAIL FROM" } }];
  expect(sending).toEqual(ok({ loggedIn: false, refused, recipientRefused: null, untried: 1 }));
});

test("a server that does not reply to the sender", async () => {
  expect(failureOf(await checkUntil("MAIL", { MAIL: "" }))).toEqual({ source: "smtp", reason: "timeout" });
});

test("a server that refuses to be greeted", async () => {
  const { url } = await scripted({ EHLO: "421 no", HELO: "421 no" });
  const { sending } = await checkSmtp({ url, senders }, AMPLE_MS);
  expect(failureOf(sending)).toEqual({ source: "smtp", reason: "421 to EHLO" });
});

test("a server that never greets", async () => {
  const host = await startRawServer((socket) => socket.resume());
  const { sending } = await checkSmtp({ url: `smtp://${host}`, senders }, 100);
  expect(failureOf(sending)).toEqual({ source: "smtp", reason: "timeout" });
});

test.each([
  ["line", "x".repeat(1_000)],
  ["reply", `250-${"x".repeat(60)}\r\n`],
])("stops reading an endless %s", async (_, part) => {
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      if (!line.startsWith("MAIL")) return socket.write("250 ok\r\n");
      const more = () => {
        let free = true;
        while (free) free = socket.writable && socket.write(part);
      };
      socket.on("drain", more);
      return more();
    });
  });
  const { sending } = await checkSmtp({ url: `smtp://${host}`, senders }, AMPLE_MS);
  expect(failureOf(sending)).toEqual({ source: "smtp", reason: "a reply that is not SMTP" });
});

test("logs in over STARTTLS, and says that the certificate was not verified", async () => {
  const server = await startMailServer({
    authOptional: false,
    onAuth: ({ password }, _session, done) =>
      password === "pass word" ? done(null, { user: "user" }) : done(new Error("no")),
  });
  const url = (password: string) =>
    `smtp://user:${password}@${server.host}?tls.rejectUnauthorized=false&requireTLS=true`;
  const { security, sending } = await checkSmtp({ url: url("pass%20word"), senders }, AMPLE_MS);
  expect(sending).toEqual(ok({ loggedIn: true, refused: [], recipientRefused: null, untried: 0 }));
  expect(security).toMatchObject({ tls: { required: true, verified: false }, isPrivate: true });
  expect(server.received).toEqual([]);
  const refused = await checkSmtp({ url: url("wrong"), senders }, AMPLE_MS);
  expect(failureOf(refused.sending).reason).toBe("535 to AUTH");
  expect(refused.security).not.toBeNull();
  const silent = await startMailServer({ disabledCommands: ["AUTH", "STARTTLS"] });
  const unasked = await checkSmtp({ url: `smtp://user:password@${silent.host}`, senders }, AMPLE_MS);
  expect(failureOf(unasked.sending).reason).toBe("no login offered");
});
