import { parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { emailAddress } from "@postern/core/testing/arbitraries";
import { LANGUAGES, parseService } from "@postern/core/words";
import { verificationWriter } from "@postern/mail";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { sesMail } from "../src/index.ts";
import { message, settings, startSes } from "./support/use-ses.ts";

const token = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_.~"), minLength: 1, maxLength: 512 });
const name = fc
  .string({ unit: fc.constantFrom(..."<>&\"'\\()@,;:=?. éß", "📮"), minLength: 1, maxLength: 12 })
  .filter((text) => parseService({ name: text }).isOk());

test("SES gets, to the octet, what the writer of verification mail writes, with an id of its own, for one mailbox", async () => {
  const { endpoint, messages } = await startSes();
  await fc.assert(
    fc.asyncProperty(
      emailAddress().map((text) => valueOf(parseEmailAddress(text))),
      token,
      name,
      fc.constantFrom(...LANGUAGES),
      async (to, token, name, language) => {
        const about = { from: settings.from, publicUrl: settings.publicUrl, service: { name }, language };
        const before = Math.floor(Date.now() / 1000) * 1000;
        const sent = await sesMail({ ...settings, ...about, endpoint }).send({ ...message, to, token });
        valueOf(sent);
        const received = messages.at(-1);
        expect(received).toMatchObject({ to: [to], tags: {} });
        expect(received?.configurationSet).toBeUndefined();
        const raw = received?.raw ?? "";
        // SES puts it in place of the field.
        const unfolded = raw.replace(/\r\n(?= )/g, "");
        expect(/(?<=^From: ).+(?=\r$)/m.exec(unfolded)?.[0]).toBe(received?.from);
        const [id = ""] = /(?<=^Message-ID: <)[0-9a-f-]{36}(?=@mail\.example>\r$)/m.exec(raw) ?? [];
        const now = Date.parse(/(?<=^Date: ).+(?=\r$)/m.exec(raw)?.[0] ?? "");
        expect(now).toBeGreaterThanOrEqual(before);
        const { header, body } = verificationWriter(about).write({ id, to, token, now });
        expect(raw).toBe(`${header}\r\n${Buffer.from(body).toString("latin1")}`);
      },
    ),
  );
  const ids = messages.map(({ raw }) => /^Message-ID: .*/m.exec(raw)?.[0]);
  expect(new Set(ids).size).toBe(messages.length);
});

test("messages are sent with the configuration set, and do not name the account", async () => {
  const { endpoint, messages } = await startSes();
  valueOf(await sesMail({ ...settings, endpoint, configurationSet: "postern" }).send(message));
  expect(messages).toMatchObject([{ configurationSet: "postern" }]);
  expect(JSON.stringify(messages)).not.toContain(message.account);
});

test("a message has five seconds", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const { endpoint } = await startSes();
  valueOf(await sesMail({ ...settings, endpoint }).send(message));
  expect(timeout.mock.calls).toEqual([[5_000]]);
});

test.each([{ publicUrl: "hunter2" }, { from: "Postern <postern@hunter2.example>" }])(
  "rejects %j like every writer of verification mail",
  (changed) => {
    expect(() => sesMail({ ...settings, ...changed })).toThrow(TypeError);
  },
);
