import { HeaderFields } from "@postern/mail";
import { runsWhole } from "@postern/test-support/runs-whole";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Client, connect } from "./support/client.ts";
import { startMx } from "./support/mx.ts";

/** How many sessions are tried. Each of them takes milliseconds. */
const SESSIONS = runsWhole(import.meta.url) ? 100_000 : 300;
/** How many of them run at the same time. */
const AT_ONCE = 50;

type Step =
  | { readonly type: "command"; readonly line: string }
  | { readonly type: "data"; readonly text: string };

const RECIPIENTS = ["shop@alias.example", '"SHOP"@alias.example', "discard@alias.example", "postmaster"];

const command = fc.constantFrom(
  "EHLO client.example",
  "HELO client",
  "EHLO",
  "MAIL FROM:<bob@sender.example>",
  "mail from:<>",
  "MAIL FROM:<bob@sender.example> SMTPUTF8",
  "MAIL FROM:<bob@sender.example> SIZE=999999999",
  "MAIL FROM:bob",
  ...RECIPIENTS.map((address) => `RCPT TO:<${address}>`),
  "RCPT TO:<unknown@alias.example>",
  "RCPT TO:<inactive@alias.example>",
  "RCPT TO:<who@elsewhere.example>",
  "RCPT TO:<>",
  "RSET",
  "NOOP",
  "NONSENSE",
  "STARTTLS",
  "",
);

/** Without two dots after a bare LF: smtp-server removes one of them only if all three arrive together. */
const text = fc
  .string({
    unit: fc.constantFrom(
      ".",
      "\r\n",
      "\n",
      "\r",
      "A: b",
      "x",
      " ",
      "\0",
      "\xff",
      "RCPT TO:<shop@alias.example>",
    ),
    maxLength: 20,
  })
  .map((content) => content.replace(/(?<!\r)\n\.+/g, "\n."));

/** Mostly sessions that get somewhere. */
const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.oneof(
      command.map((line): readonly Step[] => [{ type: "command", line }]),
      fc
        .tuple(fc.subarray(RECIPIENTS, { minLength: 1 }), text)
        .map(([recipients, content]): readonly Step[] => [
          { type: "command", line: "MAIL FROM:<bob@sender.example>" },
          ...recipients.map((address): Step => ({ type: "command", line: `RCPT TO:<${address}>` })),
          { type: "data", text: content },
        ]),
      text.map((content): readonly Step[] => [{ type: "data", text: content }]),
    ),
    { maxLength: 12 },
  )
  .map((groups) => [{ type: "command", line: "EHLO client.example" }, ...groups.flat()]);

/** What a client sends after DATA, before the last dot (RFC 5321, section 4.5.2). */
const stuffed = (content: string): string => `${content.replace(/(^|\r\n)\./g, "$1..")}\r\n`;

/** What the server makes of it. */
const received = (sent: string): string =>
  sent.replace(/(^|\r\n)\.\./g, "$1.").replace(/\r+\n|\r|\n/g, "\r\n");

/** What a server says to a session: the codes of its replies, and the messages that it takes. */
const model = () => {
  let [greeted, mail, unknown, nonsense] = [false, false, 0, 0];
  let recipients: string[] = [];
  const reset = () => {
    mail = false;
    recipients = [];
  };
  return {
    command: (line: string): number => {
      const [word = ""] = line.split(" ");
      switch (word.toUpperCase()) {
        case "EHLO":
        case "HELO":
          if (line === word) return 501;
          greeted = true;
          reset();
          return 250;
        case "RSET":
          reset();
          return 250;
        case "NOOP":
          return 250;
        case "MAIL":
          if (!greeted) return 503;
          if (!line.includes("<")) return 501;
          if (mail) return 503;
          if (line.includes("SIZE")) return 552;
          if (line.includes("SMTPUTF8")) return 553;
          mail = true;
          return 250;
        case "RCPT":
          if (!greeted) return 503;
          if (line.includes("<>")) return 501;
          if (!mail) return 503;
          if (line.includes("unknown")) {
            unknown += 1;
            return unknown > 10 ? 421 : 550;
          }
          if (line.includes("inactive") || line.includes("elsewhere")) return 550;
          recipients.push(line);
          return 250;
        default:
          nonsense += 1;
          return nonsense >= 10 ? 421 : 500;
      }
    },
    /** Whether the message may be sent, and the message if it is kept. */
    data: (sent: string): { readonly go: boolean; readonly kept: string | null } => {
      if (recipients.length === 0) return { go: false, kept: null };
      const kept = recipients.some((line) => !line.includes("discard")) ? received(sent) : null;
      nonsense = 0;
      reset();
      return { go: true, kept };
    },
  };
};

type Session = { readonly steps: readonly Step[]; readonly pipelined: boolean; readonly chunk: number };

const split = (message: string) => {
  const length = HeaderFields.lengthIn(message);
  return {
    header: message.slice(0, length),
    body: message.slice(message.startsWith("\r\n", length) ? length + 2 : length),
  };
};

/** Runs a session, and returns the messages that the server must have taken. */
const run = async (client: Client, { steps: all, pipelined, chunk }: Session): Promise<readonly string[]> => {
  const { command: commandModel, data: dataModel } = model();
  const expected: { readonly sent: string; readonly codes: readonly number[] }[] = [];
  const kept: string[] = [];
  for (const step of all) {
    if (step.type === "command") {
      const code = commandModel(step.line);
      expected.push({ sent: `${step.line}\r\n`, codes: [code] });
      if (code === 421) break;
    } else {
      const sent = stuffed(step.text);
      const { go, kept: message } = dataModel(sent);
      expected.push({ sent: "DATA\r\n", codes: [go ? 354 : 503] });
      if (go) expected.push({ sent: `${sent}.\r\n`, codes: [250] });
      if (message !== null) kept.push(message);
    }
  }
  const write = (wire: string) => {
    for (let at = 0; at < wire.length; at += chunk) client.write(wire.slice(at, at + chunk));
  };
  expect(await client.reply()).toMatch(/^220 /);
  if (pipelined) write(expected.map(({ sent }) => sent).join(""));
  for (const { sent, codes } of expected) {
    if (!pipelined) write(sent);
    for (const code of codes)
      expect({ sent, reply: await client.reply() }).toEqual({
        sent,
        reply: expect.stringMatching(`^${code}[ -]`),
      });
  }
  client.socket.destroy();
  return kept;
};

test("whatever clients send, the server replies as it should and takes exactly the messages that they sent", async () => {
  const mx = await startMx({}, { connectionsPerAddress: 2 * AT_ONCE });
  const session: fc.Arbitrary<Session> = fc.record({
    steps,
    pipelined: fc.boolean(),
    chunk: fc.constantFrom(1, 2, 3, 5, 50, 5_000),
  });
  const sessions = fc.array(session, { minLength: AT_ONCE, maxLength: AT_ONCE });
  await fc.assert(
    fc.asyncProperty(sessions, async (all) => {
      const before = mx.arrived.length;
      const taken = await Promise.all(all.map(async (each) => run(await connect(mx.server.port), each)));
      const sorted = (messages: readonly { readonly header: string; readonly body: string }[]) =>
        messages.map(({ header, body }) => JSON.stringify([header, body])).sort();
      expect(sorted(mx.arrived.slice(before))).toEqual(sorted(taken.flat().map(split)));
      expect(mx.bodiesLeft()).toBe(0);
    }),
    { numRuns: Math.ceil(SESSIONS / AT_ONCE), endOnFailure: true },
  );
});
