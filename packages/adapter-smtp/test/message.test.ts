import { verificationWriter } from "@postern/mail";
import { expect, onTestFinished, test } from "vitest";
import { smtpMail } from "../src/index.ts";
import { message, parseMail, settings, startMailServer } from "./support/mail-server.ts";

test("each message is what the writer of verification mail writes now, with an id of its own, to one recipient", async () => {
  const server = await startMailServer();
  const about = { ...settings, service: { name: "Müller & Söhne" }, language: "de" } as const;
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...about });
  onTestFinished(() => mail.close());
  const before = Math.floor(Date.now() / 1000) * 1000;
  for (const _ of [1, 2]) expect(await mail.send(message)).toMatchObject({ value: undefined });
  const after = Date.now();
  const ids = await Promise.all(
    server.received.map(async ({ from, to, raw }) => {
      expect({ from, to }).toEqual({ from: "postern@mail.example", to: ["ada@example.com"] });
      const { messageId = "", date = "" } = await parseMail(raw);
      const now = Date.parse(date);
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(after);
      const id = messageId.replace(/^<|@mail\.example>$/g, "");
      const { to: mailbox, token, account } = message;
      const { header, body } = verificationWriter(about).write({ id, to: mailbox, token, now });
      expect(raw).toBe(`${header}\r\n${Buffer.from(body).toString("latin1")}`);
      expect(raw).not.toContain(account);
      return id;
    }),
  );
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(ids).size).toBe(2);
});
