import { createInterface } from "node:readline";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { causeOf } from "../src/cause.ts";
import { smtpMailWithin } from "../src/smtp-mail.ts";
import { message, settings, startMailServer, startRawServer } from "./support/mail-server.ts";

/** The code and the reason of the failure to send the message to the server at `url`. */
const failureAt = async (url: string) => {
  const mail = smtpMailWithin(60_000, { url, ...settings });
  onTestFinished(() => mail.close());
  const sent = await mail.send(message);
  if (sent.isOk()) throw new Error("the message was sent");
  const { code, cause } = sent.error;
  expect(cause?.source).toBe("smtp");
  return [code, cause?.reason];
};

/** A refusal whose text repeats the address, as many servers' texts do. */
const refusal = (responseCode: number) => Object.assign(new Error("<ada@example.com>: no"), { responseCode });

describe("a real server", () => {
  const withServer = async (options: SMTPServerOptions, query = "?tls.rejectUnauthorized=false") =>
    failureAt(`smtp://user:password@${(await startMailServer(options)).host}${query}`);

  test("that refuses the password", async () => {
    const onAuth: SMTPServerOptions["onAuth"] = (_auth, _session, done) => done(refusal(535));
    expect(await withServer({ authOptional: false, onAuth })).toEqual(["not_sent", "535 to AUTH"]);
  });

  test("that does not offer a login", async () => {
    expect(await withServer({ disabledCommands: ["AUTH"] })).toEqual(["not_sent", "no login offered"]);
  });

  test.each([
    [550, "onMailFrom", "not_sent", "550 to MAIL FROM"],
    [550, "onRcptTo", "mail_refused", "550 to RCPT TO"],
    [450, "onRcptTo", "mail_refused", "450 to RCPT TO"],
    [421, "onRcptTo", "not_sent", "421"],
  ] as const)("that replies %i: %s", async (code, event, outcome, reason) => {
    const answer: SMTPServerOptions["onRcptTo"] = (_address, _session, done) => done(refusal(code));
    const onAuth: SMTPServerOptions["onAuth"] = (_auth, _session, done) => done(null, { user: "user" });
    expect(await withServer({ [event]: answer, onAuth })).toEqual([outcome, reason]);
  });

  test("that refuses the message", async () => {
    const onAuth: SMTPServerOptions["onAuth"] = (_auth, _session, done) => done(null, { user: "user" });
    const onData: SMTPServerOptions["onData"] = (stream, _session, done) =>
      void stream.resume().on("end", () => done(refusal(554)));
    expect(await withServer({ onData, onAuth })).toEqual(["mail_refused", "554 to DATA"]);
  });

  test("that does not reply to the message", async () => {
    const deadlinePasses = holdDeadlines();
    const server = await startMailServer({
      onData: (stream) => void stream.resume().on("end", deadlinePasses),
    });
    const failure = await failureAt(`smtp://${server.host}?ignoreTLS=true`);
    expect(failure).toEqual(["unavailable", "timeout after DATA"]);
  });

  test("whose certificate is not trusted", async () => {
    const starttls = await startMailServer();
    expect(await failureAt(`smtp://${starttls.host}`)).toEqual(["not_sent", "tls: CERT_HAS_EXPIRED"]);
    const implicit = await startMailServer({ secure: true });
    expect(await failureAt(`smtps://${implicit.host}`)).toEqual(["not_sent", "tls: CERT_HAS_EXPIRED"]);
  });

  test("that does not speak TLS", async () => {
    const plain = await startMailServer({ disabledCommands: ["STARTTLS"] });
    expect(await failureAt(`smtps://${plain.host}`)).toEqual([
      "not_sent",
      "tls: ERR_SSL_WRONG_VERSION_NUMBER",
    ]);
    expect(await failureAt(`smtp://${plain.host}?requireTLS=true`)).toEqual(["not_sent", "500 to STARTTLS"]);
  });

  test("that is not there", async () => {
    expect(await failureAt("smtp://127.0.0.1:1")).toEqual(["not_sent", "connect: ECONNREFUSED"]);
    expect(await failureAt("smtp://postern-test.invalid")).toEqual([
      "not_sent",
      expect.stringMatching(/^name lookup: (ENOTFOUND|EAI_AGAIN)$/),
    ]);
  });

  test("with too many messages: 50 time out, and one more is turned away", async () => {
    const deadlinesPass = holdDeadlines();
    const server = await startMailServer({ onMailFrom: () => deadlinesPass() });
    const mail = smtpMailWithin(60_000, { url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
    onTestFinished(() => mail.close());
    const sent = await Promise.all(Array.from({ length: 51 }, () => mail.send(message)));
    const reasons = sent.map((each) => (each.isErr() ? each.error.cause?.reason : null));
    for (const reason of reasons.slice(0, 50))
      expect(reason).toMatch(/^timeout( before a connection was free)?$/);
    expect(reasons.at(50)).toBe("too many messages are pending");
  });
});

const willing = {
  EHLO: "250 hello\r\n",
  MAIL: "250 ok\r\n",
  RCPT: "250 ok\r\n",
  DATA: "354 go on\r\n",
};

test.each([
  [{ ".": "" }, "unavailable", "connection closed after DATA"],
  [{ ".": "421 <ada@example.com>\r\n" }, "unavailable", "421 to DATA"],
  [{ ".": "354 <ada@example.com>\r\n" }, "unavailable", "354 to DATA"],
  [{ EHLO: "421 <ada@example.com>\r\n" }, "not_sent", "421 to EHLO"],
  [{ EHLO: "<ada@example.com>\r\n", HELO: "<ada@example.com>\r\n" }, "not_sent", "a reply that is not SMTP"],
  [{ DATA: "" }, "not_sent", "connection closed"],
])("a server that replies %o: %s, %s", async (replies, code, reason) => {
  const scripted: Readonly<Record<string, string | undefined>> = { ...willing, ...replies };
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      const reply = scripted[line.split(" ", 1)[0] ?? ""];
      if (reply === "") socket.end();
      else if (reply !== undefined) socket.write(reply);
    });
  });
  expect(await failureAt(`smtp://${host}`)).toEqual([code, reason]);
});

test.each([
  ["554", (greeting: string) => `554 ${greeting}\r\n`],
  ["a reply that is not SMTP", (greeting: string) => `${greeting}\r\n`],
])("a greeting: %s", async (reason, greet) => {
  const host = await startRawServer((socket) => void socket.write(greet("ada@example.com")));
  expect(await failureAt(`smtp://${host}`)).toEqual(["not_sent", reason]);
});

test("nothing that a server or a library writes into an error gets into a cause", () => {
  const secret = "ada@example.com";
  const errors: readonly unknown[] = [
    secret,
    new Error(secret),
    Object.assign(new Error(secret), {
      code: secret,
      originalCode: secret,
      command: secret,
      response: secret,
    }),
    Object.assign(new Error(secret), { code: "ESOCKET", originalCode: secret, syscall: secret }),
    Object.assign(new Error(secret), { responseCode: 550, command: secret }),
    Object.assign(new Error(secret), { responseCode: secret, code: "ETLS" }),
  ];
  for (const begun of [true, false])
    for (const error of errors) expect(causeOf(error, begun).reason).not.toContain("ada");
});
