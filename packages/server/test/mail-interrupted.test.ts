import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@postern/test-support/free-port";
import { expect, onTestFinished, test } from "vitest";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startServerProcess } from "./support/server-process.ts";
import { openSession } from "./support/smtp-session.ts";

/** `PosternSpoolFailing` wakes the operator, which a client must not be able to do. */
test("a message that does not arrive completely, or is too large, does not count as a failure of the spool", async () => {
  const { variables } = await newMailEnvironment();
  const metricsPort = await freePort();
  const server = await startServerProcess({
    ...variables,
    POSTERN_MAIL_SIZE: "400000",
    POSTERN_METRICS_PORT: `${metricsPort}`,
    POSTERN_LOG_LEVEL: "debug",
  });
  onTestFinished(() => void server.kill());
  const failures = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return /^postern_mail_spool_failures_total (\d+)$/m.exec(metrics)?.[1];
  };
  /** A session that has sent this many octets of a message. */
  const begin = async (octets: number) => {
    const session = await openSession(server.mailPort());
    await session.say("EHLO client.test");
    await session.say("MAIL FROM:<bob@sender.test>");
    expect(await session.say("RCPT TO:<postmaster@alias.example.com>")).toMatch(/^250 /);
    expect(await session.say("DATA")).toMatch(/^354 /);
    session.write(`From: bob@sender.test\r\n\r\n${`${"x".repeat(998)}\r\n`.repeat(octets / 1000)}`);
    return session;
  };

  (await begin(1_000)).end();
  await expect.poll(server.output).toContain("closed in DATA");
  expect(await (await begin(500_000)).say(".")).toMatch(/^552 5\.3\.4 /);
  expect(await failures()).toBe("0");

  rmSync(join(variables.POSTERN_SPOOL_PATH, "bodies"), { recursive: true });
  expect(await (await begin(300_000)).say(".")).toMatch(/^451 4\.3\.0 /);
  expect(await failures()).toBe("1");
  const output = await server.stop();
  expect(output.match(/"operation":"receive"[^\n]*"the spool failed"/g)).toHaveLength(1);
});
