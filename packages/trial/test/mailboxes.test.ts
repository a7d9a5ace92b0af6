import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import { newDirectory } from "../../test-support/src/new-directory.ts";
import { type Delivery, startMailboxes } from "../src/mailboxes.ts";

const start = async () => {
  const directory = newDirectory();
  const deliveries: Delivery[] = [];
  const mailboxes = await startMailboxes({
    directory,
    onDelivery: (delivery) => deliveries.push(delivery),
  });
  const transport = createTransport({ url: mailboxes.url });
  onTestFinished(async () => {
    transport.close();
    await mailboxes.stop();
  });
  const send = (to: string, raw: string) =>
    transport.sendMail({ envelope: { from: "bob@shop.example", to }, raw });
  return { directory, deliveries, send };
};

test("each message is stored as it arrived, and in readable form", async () => {
  const { directory, deliveries, send } = await start();
  const message = [
    "From: =?utf-8?q?B=C3=B6b?= <bob@shop.example>",
    "To: shop@postern.example",
    "Subject: Caf=?utf-8?q?=C3=A9?=",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "=C3=84 link that is br=",
    "oken",
    "",
  ].join("\r\n");
  await send("Ada@example.com", message);
  await send("ada@example.com", message);
  const folder = join(directory, "ada@example.com");
  expect(await readdir(directory)).toEqual(["ada@example.com"]);
  expect((await readdir(folder)).toSorted()).toEqual(["1.eml", "1.txt", "2.eml", "2.txt"]);
  expect(await readFile(join(folder, "1.eml"), "utf8")).toBe(message);
  expect(await readFile(join(folder, "2.txt"), "utf8")).toBe(
    "From: Böb <bob@shop.example>\nTo: shop@postern.example\nSubject: Café\n\nÄ link that is broken\n",
  );
  expect(deliveries).toMatchObject([
    { to: "Ada@example.com", file: join(folder, "1.eml"), text: expect.stringContaining("is broken") },
    { to: "ada@example.com", file: join(folder, "2.eml") },
  ]);
});

test("no message replaces another one, even if earlier ones were removed", async () => {
  const { directory, send } = await start();
  const folder = join(directory, "ada@example.com");
  for (const n of ["a", "b"]) await send("ada@example.com", `Subject: ${n}\r\n\r\n`);
  for (const file of ["1.eml", "1.txt"]) await rm(join(folder, file));
  await send("ada@example.com", "Subject: c\r\n\r\n");
  expect((await readdir(folder)).toSorted()).toEqual(["2.eml", "2.txt", "3.eml", "3.txt"]);
});

test("a mailbox stays in the folder, whatever its address is", async () => {
  const { directory, send } = await start();
  await send("up/a%2Fb@example.com", "Subject: a\r\n\r\n");
  expect(await readdir(directory)).toEqual(["up%2Fa%252fb@example.com"]);
});

test("some mailboxes refuse mail, so that each outcome can be seen", async () => {
  const { directory, send } = await start();
  const large = `Subject: a\r\n\r\n${"a".repeat(20_000)}`;
  await expect(send("Nobody@example.com", "Subject: a\r\n\r\n")).rejects.toMatchObject({ responseCode: 550 });
  await expect(send("busy@example.com", "Subject: a\r\n\r\n")).rejects.toMatchObject({ responseCode: 451 });
  await expect(send("ada@example.org", large)).rejects.toMatchObject({ responseCode: 552 });
  expect(await readdir(directory)).toEqual([]);
  await send("ada@example.com", large);
  await send("ada@example.org", "Subject: a\r\n\r\n");
  expect((await readdir(directory)).toSorted()).toEqual(["ada@example.com", "ada@example.org"]);
});
