import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, onTestFinished, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { copyStates, spoolState } from "./support/spool-state.ts";
import { submit } from "./support/submit.ts";

/*
 * The server is killed at every step of a message's path, and started again on what is left. The program has no switches for
 * this: the test acts as its client, its name server and its relay, so it sees each step and can delay the next one.
 */

const ALIAS = "shop@alias.example.com";
const MAILBOXES = ["ada@home.example", "grace@work.example"];

/** Where the server is killed. */
const HOOKS = [
  /** The message has arrived, and is being checked. */
  "before the commit",
  /** The client does not hear the reply. */
  "after the commit, before 250",
  "after the relay has a copy, before its 250",
  "after the relay's 250, before it is stored",
  /** The first copy is settled, and the second one is at the relay. */
  "after a copy is settled",
  "after it is counted, before that is noted",
  "after that is noted",
  "at any moment",
] as const;
type Hook = (typeof HOOKS)[number];

const ROUNDS = runsWhole(import.meta.url) ? 50 : HOOKS.length;

const OFTEN = { interval: 10 };

/** Keeps everybody from writing to a SQLite file until the returned function is called. */
const lockOf = (path: string): (() => void) => {
  const db = new DatabaseSync(path);
  db.exec("BEGIN IMMEDIATE");
  return () => db.close();
};

/** A deployment that is started again after each kill, and everything that its client and its relay saw of it. */
const newDeployment = async () => {
  const { directory, variables } = await newMailEnvironment();
  const spool = variables.POSTERN_SPOOL_PATH;
  const store = await newMailStore(directory, { [ALIAS]: MAILBOXES });

  let asked = () => {};
  const dns = await startFakeDns(
    new Proxy(
      {},
      {
        get: () => {
          asked();
          return undefined;
        },
      },
    ),
  );
  onTestFinished(() => dns.close());

  let arrived: () => Promise<void> | void = () => {};
  const relay = await startRelay(() => arrived());
  const start = () =>
    startServerProcess({
      ...variables,
      ...store.variables,
      POSTERN_RELAY_URL: relay.url,
      POSTERN_DNS: `127.0.0.1:${dns.port}`,
    });
  return {
    spool,
    database: store.path,
    relay,
    start,
    counts: () => store.counts(ALIAS),
    /** Calls back once when the server asks about a sender: the message has arrived, but is not stored. */
    onceAsked: (call: () => void) => {
      asked = () => {
        asked = () => {};
        call();
      };
    },
    /** Calls back for each copy that the relay has received, before the relay says so. */
    whenArrived: (call: () => Promise<void> | void) => {
      arrived = call;
    },
  };
};

type Deployment = Awaited<ReturnType<typeof newDeployment>>;
type Server = Awaited<ReturnType<Deployment["start"]>>;

/** A client that acts as mail servers do: it sends a message again until it hears that the message was accepted. */
const newClient = () => {
  let number = 0;
  const submissions = new Map<string, number>();
  const unacknowledged = new Set<string>();

  /** Each message has its own sender domain, so that no lookup is answered from a cache. */
  const send = async (port: number, name: string, heard: (reply: string) => boolean): Promise<boolean> => {
    submissions.set(name, (submissions.get(name) ?? 0) + 1);
    unacknowledged.add(name);
    const { reply } = await submit(port, {
      from: `bob@${name}.test`,
      to: ALIAS,
      text: `From: bob@${name}.test\r\nSubject: ${name}\r\n\r\n${"x".repeat(1_000)}`,
    }).catch(() => ({ reply: "closed" }));
    const acknowledged = reply.startsWith("250 ") && heard(reply);
    if (acknowledged) unacknowledged.delete(name);
    return acknowledged;
  };
  const sendNext = (port: number, heard: (reply: string) => boolean = () => true) => {
    number += 1;
    return send(port, `m${number}`, heard);
  };
  return {
    submissions,
    sendNext,
    /** Sends all unacknowledged messages again. */
    sendAgain: async (port: number) => {
      for (const name of unacknowledged) expect(await send(port, name, () => true)).toBe(true);
    },
  };
};

/** Brings a server to a hook, and kills it there. */
const killAt = async (
  hook: Hook,
  {
    deployment,
    server,
    client,
  }: {
    readonly deployment: Deployment;
    readonly server: Server;
    readonly client: ReturnType<typeof newClient>;
  },
): Promise<void> => {
  const { spool, database, onceAsked, whenArrived } = deployment;
  const port = server.mailPort();
  const before = await deployment.counts();
  let copies = 0;
  switch (hook) {
    case "before the commit": {
      const stored = copyStates(spool).size;
      onceAsked(server.kill);
      expect(await client.sendNext(port)).toBe(false);
      await server.ended;
      expect(copyStates(spool).size).toBe(stored);
      return;
    }
    case "after the commit, before 250": {
      const stored = copyStates(spool).size;
      await client.sendNext(port, () => !server.kill());
      await server.ended;
      expect(copyStates(spool).size).toBe(stored + MAILBOXES.length);
      return;
    }
    case "after the relay has a copy, before its 250": {
      whenArrived(() => void server.kill());
      await client.sendNext(port);
      await server.ended;
      expect(spoolState(spool).queued).toBe(MAILBOXES.length);
      return;
    }
    case "after the relay's 250, before it is stored": {
      // The reply is written after this, and nobody reads it before the kill.
      whenArrived(() => {
        setImmediate(server.kill);
        whenArrived(() => {});
      });
      await client.sendNext(port);
      await server.ended;
      return;
    }
    case "after a copy is settled": {
      let unlockStore = () => {};
      whenArrived(async () => {
        copies += 1;
        // Nothing is counted yet.
        if (copies === 1) unlockStore = lockOf(database);
        if (copies !== MAILBOXES.length) return;
        await expect.poll(() => spoolState(spool).uncounted, OFTEN).toBe(1);
        server.kill();
      });
      await client.sendNext(port);
      await server.ended;
      unlockStore();
      expect(spoolState(spool)).toEqual({ queued: 1, uncounted: 1 });
      return;
    }
    case "after it is counted, before that is noted": {
      let unlockStore = () => {};
      whenArrived(() => {
        copies += 1;
        if (copies === 1) unlockStore = lockOf(database);
      });
      await client.sendNext(port);
      await expect.poll(() => spoolState(spool), OFTEN).toEqual({ queued: 0, uncounted: MAILBOXES.length });
      const unlockSpool = lockOf(join(spool, "spool.db"));
      unlockStore();
      await expect.poll(async () => (await deployment.counts()).sent, OFTEN).toBeGreaterThan(before.sent);
      server.kill();
      await server.ended;
      unlockSpool();
      expect(spoolState(spool).uncounted).toBe(MAILBOXES.length);
      return;
    }
    case "after that is noted": {
      await client.sendNext(port);
      await expect.poll(() => spoolState(spool), OFTEN).toEqual({ queued: 0, uncounted: 0 });
      server.kill();
      await server.ended;
      expect((await deployment.counts()).sent).toBe(before.sent + MAILBOXES.length);
      return;
    }
    case "at any moment": {
      const clients = Array.from({ length: 4 }, async () => {
        while (await client.sendNext(port));
      });
      await setTimeout(50 + Math.random() * 500);
      server.kill();
      await server.ended;
      await Promise.all(clients);
    }
  }
};

test(`after ${ROUNDS} kills at every step, no acknowledged message is lost, and each copy is counted once`, {
  timeout: 300_000 + ROUNDS * 60_000,
}, async () => {
  const deployment = await newDeployment();
  const { spool, relay } = deployment;
  const client = newClient();
  /** How often each copy may arrive: once, and again after each kill when the relay had it but the server did not know that. */
  const allowed = new Map<string, number>();
  const arrivals = () => Map.groupBy(relay.taken, ({ from }) => /^b-([^-]+)/.exec(from)?.[1] ?? "");
  const idle = () => expect.poll(() => spoolState(spool), OFTEN).toEqual({ queued: 0, uncounted: 0 });

  for (let round = 0; round < ROUNDS; round += 1) {
    const hook = HOOKS[round % HOOKS.length] ?? "at any moment";
    const server = await deployment.start();
    await client.sendAgain(server.mailPort());
    await idle();
    await killAt(hook, { deployment, server, client });
    deployment.whenArrived(() => {});
    // What the server had sent before it died is still on its way.
    await expect.poll(relay.connections).toBe(0);
    const states = copyStates(spool);
    for (const copy of arrivals().keys()) {
      if (states.get(copy) === "queued") allowed.set(copy, (allowed.get(copy) ?? 1) + 1);
    }
  }

  const server = await deployment.start();
  await client.sendAgain(server.mailPort());
  await idle();
  await server.stop();

  const copies = arrivals();
  const messages = new Map<string, Map<string, Set<string>>>();
  for (const [copy, arrived] of copies) {
    const [first] = arrived;
    for (const { raw, to } of arrived) {
      const [, name = ""] = /^Subject: (.*)\r$/m.exec(raw) ?? [];
      const [, id = ""] = /^X-Postern-Message: (.*)\r$/m.exec(raw) ?? [];
      const [messageId, firstId] = [raw, first?.raw ?? ""].map((each) => /^Message-ID: .*$/m.exec(each)?.[0]);
      expect([to, messageId]).toEqual([first?.to, firstId]);
      const ids = messages.get(name) ?? new Map<string, Set<string>>();
      messages.set(name, ids.set(id, (ids.get(id) ?? new Set()).add(to)));
    }
    expect(arrived.length).toBeLessThanOrEqual(allowed.get(copy) ?? 1);
  }
  // All are acknowledged now. Each has arrived everywhere, and more than once only if the client has sent it more than once.
  expect([...messages.keys()].sort()).toEqual([...client.submissions.keys()].sort());
  for (const [name, ids] of messages) {
    for (const mailboxes of ids.values()) expect([...mailboxes].sort()).toEqual(MAILBOXES);
    expect(ids.size).toBeLessThanOrEqual(client.submissions.get(name) ?? 0);
  }
  expect(await deployment.counts()).toEqual({ ...NOTHING, sent: copies.size });
});
