import type { Envelope } from "@postern/mail";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { smtpRelayWithin } from "../src/relay/smtp-relay.ts";
import { mailBody } from "./support/mail-body.ts";
import { address, startScriptedServer } from "./support/mail-server.ts";

const MAIL = {
  envelope: { from: address("b-abc@alias.example"), to: address("ada@example.com") },
  header: "From: a@alias.example\r\nSubject: Hello\r\n",
  body: mailBody("Hello\r\n"),
};

/** Long enough that the server's reply, not the clock, decides. */
const AMPLE = { connect: 20_000, begin: 60_000, silence: 20_000, message: 60_000, idle: 1_000 };

type Changed = { readonly timeouts?: typeof AMPLE; readonly envelope?: Partial<Envelope> };

const sendTo = async (url: string, { timeouts = AMPLE, envelope = {} }: Changed = {}) => {
  const relay = smtpRelayWithin(timeouts, { url, name: "mx.alias.example", connections: 1 });
  onTestFinished(() => relay.close());
  return relay.send({ ...MAIL, envelope: { ...MAIL.envelope, ...envelope } });
};

/** The steps of a transaction that the scripted server can fail. */
const STEPS = ["EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "."] as const;
type Step = (typeof STEPS)[number];

/** Every server's text repeats the address. */
const reply = (code: number, status?: string) =>
  `${[code, status, "<ada@example.com>: no"].filter((part) => part !== undefined).join(" ")}\r\n`;

/** The expected answer if the server replies to this step with this code, for a message with a sender or the null sender. */
const expected = (step: Step, code: number, sender: "sender" | "null sender"): object => {
  if (["EHLO", "STARTTLS", "AUTH"].includes(step)) return { kind: "deferred", about: "relay", code };
  if (code < 500) return { kind: "deferred", about: "copy", code };
  if (step !== "MAIL" || code === 552) return { kind: "refused", about: "copy", code };
  if ([530, 534, 535, 538].includes(code)) return { kind: "deferred", about: "relay", code };
  return { kind: sender === "sender" ? "deferred" : "refused", about: "sender", code };
};

/** A server that accepts everything, and offers these extensions. */
const willing = (extensions: readonly string[]) => ({
  EHLO: `${["hello", ...extensions].map((line, i) => `250${i < extensions.length ? "-" : " "}${line}`).join("\r\n")}\r\n`,
  AUTH: "235 welcome\r\n",
  MAIL: "250 ok\r\n",
  RCPT: "250 ok\r\n",
  DATA: "354 go on\r\n",
  ".": "250 ok\r\n",
  RSET: "250 ok\r\n",
  QUIT: "221 bye\r\n",
});

const CODES = [421, 450, 451, 452, 454, 501, 530, 534, 535, 538, 550, 552, 554] as const;
const SENDERS = [
  ["sender", {}],
  ["null sender", { from: null }],
] as const;

describe.each([
  ["one command at a time", []],
  ["with PIPELINING", ["PIPELINING"]],
] as const)("%s", (_, pipelining) => {
  test.each(STEPS)("each reply to %s", async (step) => {
    const extensions = [...pipelining, ...(step === "STARTTLS" ? ["STARTTLS"] : []), "AUTH PLAIN"];
    for (const code of CODES) {
      for (const status of [undefined, `${Math.floor(code / 100)}.7.1`]) {
        const { host } = await startScriptedServer({
          ...willing(extensions),
          [step]: reply(code, status),
          // What nodemailer tries after EHLO.
          ...(step === "EHLO" ? { HELO: reply(code, status) } : {}),
        });
        for (const [sender, envelope] of SENDERS) {
          const answer = await sendTo(`smtp://user:password@${host}`, { envelope });
          expect({ step, sender, answer }).toMatchObject({ step, answer: expected(step, code, sender) });
          expect({ step, sender, answer }).toMatchObject({ answer: { status: status ?? null } });
          expect(JSON.stringify(answer)).not.toMatch(/ada|example|password/);
        }
      }
    }
  });

  test.each(["MAIL", "RCPT", "DATA", "."] as const)(
    "a server that hangs up, or does not speak SMTP at %s",
    async (step) => {
      for (const [how, end] of [
        ["hangs up", ""],
        ["hangs up in the middle of a reply", "550 no"],
        ["replies with nonsense", "<ada@example.com>\r\n"],
      ] as const) {
        const { host } = await startScriptedServer({ ...willing(pipelining), [step]: end });
        const answer = await sendTo(`smtp://${host}`);
        expect({ how, answer }).toMatchObject({
          how,
          answer: { kind: "deferred", about: "copy", status: null },
        });
        expect(JSON.stringify(answer)).not.toMatch(/ada|example/);
      }
    },
  );
});

test("a server that says in words that the mailbox is full", async () => {
  for (const words of ["Mailbox over quota", "5.1.1 <ada@example.com> is over quota"]) {
    const { host } = await startScriptedServer({ ...willing([]), RCPT: `552 ${words}\r\n` });
    const answer = await sendTo(`smtp://${host}`);
    expect(answer).toMatchObject({ kind: "refused", about: "copy", code: 552, status: "5.2.2" });
    expect(JSON.stringify(answer)).not.toMatch(/ada|quota/);
  }
});

test("a server that does not reply to a command, or to the message", async () => {
  const timeouts = { ...AMPLE, silence: 300 };
  const tries = ["MAIL", "RCPT", "DATA", "."].flatMap((step) =>
    [[], ["PIPELINING"]].map(async (extensions) => {
      const { host } = await startScriptedServer({ ...willing(extensions), [step]: undefined });
      // On a busy machine, an earlier step may take too long.
      await expect
        .poll(async () => ({ step, answer: await sendTo(`smtp://${host}`, { timeouts }) }))
        .toMatchObject({ step, answer: { kind: "deferred", about: "copy", code: null } });
    }),
  );
  await Promise.all(tries);
});

test.each([
  ["EHLO", ""],
  ["EHLO", undefined],
  ["AUTH", ""],
  ["AUTH", undefined],
  ["AUTH", "<ada@example.com>\r\n"],
])("a server that replies to %s with %j: nothing can be sent", async (step, end) => {
  const { host } = await startScriptedServer({ ...willing(["AUTH PLAIN"]), [step]: end });
  const timeouts = end === undefined ? { ...AMPLE, begin: 300 } : AMPLE;
  expect(await sendTo(`smtp://user:password@${host}`, { timeouts })).toMatchObject({
    kind: "deferred",
    about: "relay",
    code: null,
  });
});

test("a server that breaks off while it receives the message", async () => {
  for (const [early, answer] of [
    ["421 closing\r\n", { kind: "deferred", about: "copy", code: 421 }],
    ["552 5.3.4 <ada@example.com>\r\n", { kind: "refused", code: 552, status: "5.3.4" }],
    ["", { kind: "deferred", about: "copy", code: null }],
  ] as const) {
    const { host } = await startScriptedServer({ ...willing([]), "Subject:": early, ".": undefined });
    expect(await sendTo(`smtp://${host}`)).toMatchObject(answer);
  }
});

test("whatever a server replies to a message, only 2yz means accepted, and only 5yz means refused", async () => {
  const line = fc.oneof(
    fc
      .tuple(fc.integer({ min: 0, max: 999 }), fc.string({ maxLength: 20 }))
      .map(([code, text]) => `${code} ${text}`),
    fc.string({ maxLength: 30 }),
  );
  await fc.assert(
    fc.asyncProperty(
      line.map((text) => text.replace(/[\r\n]/g, "")),
      async (text) => {
        const { host } = await startScriptedServer({ ...willing([]), ".": `${text}\r\n` });
        const answer = await sendTo(`smtp://${host}`, { timeouts: { ...AMPLE, silence: 50 } });
        if (answer.kind === "accepted") expect(text).toMatch(/^2/);
        if (answer.kind === "refused") expect(text).toMatch(/^5\d\d( |$)/);
      },
    ),
    { numRuns: 60 },
  );
});
