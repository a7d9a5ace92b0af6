import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test } from "vitest";

test("embed-mail-plane.ts receives a message, forwards it with another sender, and stops when asked", async () => {
  const dns = await startFakeDns({});
  onTestFinished(dns.close);
  const program = spawn(process.execPath, ["embed-mail-plane.ts"], {
    cwd: import.meta.dirname,
    env: { ...process.env, PORT: "0", DNS: `127.0.0.1:${dns.port}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void program.kill("SIGKILL"));
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const port = Number(/\d+$/.exec((await lines.next()).value ?? "")?.[0]);

  const client = connect(port, "127.0.0.1");
  const replies = createInterface({ input: client })[Symbol.asyncIterator]();
  /** The last line of the reply to what is sent. */
  const reply = async (text = ""): Promise<string> => {
    client.write(text);
    for (;;) {
      const line: string = (await replies.next()).value ?? "";
      if (!/^\d{3}-/.test(line)) return line;
    }
  };
  expect(await reply()).toMatch(/^220 /);
  expect(await reply("EHLO shop.example\r\n")).toMatch(/^250 /);
  expect(await reply("MAIL FROM:<bob@shop.example>\r\n")).toMatch(/^250 /);
  expect(await reply("RCPT TO:<nobody@alias.example>\r\n")).toMatch(/^550 /);
  expect(await reply("RCPT TO:<shop@alias.example>\r\n")).toMatch(/^250 /);
  expect(await reply("DATA\r\n")).toMatch(/^354 /);
  expect(await reply("From: Bob <bob@shop.example>\r\nSubject: Hi\r\n\r\nHi\r\n.\r\n")).toMatch(/^250 /);
  const forwarded = /^To me@home\.example From: "?Bob.*<r-[a-z2-7]{26}@alias\.example>$/;
  expect((await lines.next()).value).toMatch(forwarded);
  client.destroy();

  const exited = once(program, "exit");
  program.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});
