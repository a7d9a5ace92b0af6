import { freePort } from "@postern/test-support/free-port";
import { expect, test } from "vitest";
import { newForwardingTo } from "./support/forwarding.ts";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";
import { startRelay, type Taken } from "./support/relay.ts";
import { run } from "./support/run-command.ts";
import { submit } from "./support/submit.ts";

/* A relay that is restarted: mail leaves as soon as it is there again, and an operator sees what is going on. */

const ALIAS = "shop@alias.example.com";
const MESSAGES = 100;
/** The relay is stopped when it has taken so many of them. */
const BEFORE = 30;

const subjectOf = ({ raw }: Taken): string => /^Subject: (.*)\r$/m.exec(raw)?.[1] ?? "";

test("stopping the relay in the middle of a hundred messages loses none, and sends none twice", async () => {
  const taken: Taken[] = [];
  let isStopping = false;
  const take = async (mail: Taken): Promise<void> => {
    if (isStopping || taken.length === BEFORE) {
      isStopping = true;
      // It is shut down before it replies.
      await new Promise(() => {});
    }
    taken.push(mail);
  };
  const first = await startRelay(take);
  const metricsPort = await freePort();
  const mail = await newMailServer("alias.example.com", { [ALIAS]: ["ada@home.example"] });
  const server = await mail.start({
    POSTERN_RELAY_URL: first.url,
    POSTERN_METRICS_PORT: `${metricsPort}`,
  });
  const isPaused = async () => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    return /^postern_mail_forwarding_paused (\d)$/m.exec(await response.text())?.[1];
  };
  expect(await isPaused()).toBe("0");

  const send = async (from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      const text = `From: bob@sender.test\r\nSubject: message ${n}\r\n\r\nHello`;
      expect((await submit(server.port, { to: ALIAS, text })).reply).toMatch(/^250 /);
    }
  };
  await send(0, MESSAGES / 2);
  await expect.poll(() => isStopping).toBe(true);
  await first.stop();
  await send(MESSAGES / 2, MESSAGES);
  await expect.poll(isPaused).toBe("1");
  const spool = { POSTERN_SPOOL_PATH: mail.spool };
  expect(await run(spool, "mail", "queue", "list")).toMatchObject({
    status: 0,
    errors: expect.stringMatching(
      /^Copies waiting: \d+\. Forwarding has been paused since .*: the relay cannot be used \(smtp connect: ECONNREFUSED\)\. It is next tried at /,
    ),
  });

  isStopping = false;
  await startRelay((each) => void taken.push(each), {}, first.port);
  await expect.poll(() => taken.length).toBe(MESSAGES);
  await expect.poll(() => mail.counts(ALIAS)).toEqual({ ...NOTHING, sent: MESSAGES });
  await expect.poll(isPaused).toBe("0");
  expect(new Set(taken.map(subjectOf)).size).toBe(MESSAGES);
  expect(taken).toHaveLength(MESSAGES);
});

test.each([
  ["one copy", (copy: string) => [copy]],
  ["all copies", () => ["--all"]],
] as const)(
  "mail queue retry of %s has a relay asked at once, and says why forwarding is paused",
  async (_, args) => {
    const port = await freePort();
    const world = await newForwardingTo(`smtp://127.0.0.1:${port}`);
    // Commands have the clock of the machine, by which the next try is far away.
    world.clock.advance(Date.now() + 3_600_000 - world.clock.now());
    await world.alias("shop@alias.example", "ada@home.example", "account");
    for (let n = 0; n < 3; n += 1) await world.receive("shop@alias.example");
    expect(await world.forward()).toBe(3);
    const [waiting = ""] = (await run(world.variables, "mail", "queue", "list")).output.split("\t");
    const relay = await startRelay(() => {}, {}, port);
    expect(await world.forward()).toBe(0);

    const { status, output, errors } = await run(world.variables, "mail", "queue", "retry", ...args(waiting));
    expect([status, output]).toEqual([0, ""]);
    expect(errors).toMatch(
      /^(?:The copy is due now|All copies that wait are due now: [03] were not before)\. Forwarding has been paused since /,
    );
    expect(errors).toContain("the relay cannot be used (smtp connect: ECONNREFUSED). It is next tried at ");
    await world.forward();
    expect(relay.taken).toHaveLength(3);
    expect((await run(world.variables, "mail", "queue", "list")).errors).toBe("Copies waiting: 0.\n");
  },
);
