import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Effort } from "../report/report.ts";
import { checkCopy } from "./check-copy.ts";
import { aliasAt, type Fixture } from "./fixture.ts";
import type { MailJob, MailLoad } from "./mail-protocol.ts";
import type { Bench } from "./path.ts";
import type { Setup } from "./setup.ts";
import {
  type RunningMailLoad,
  type RunningMailServer,
  startMailLoad,
  startMailServer,
} from "./start-mail.ts";

/** As many clients as send requests to the API. */
export const CLIENTS = 32;

/** A program that forwards mail, in a process of its own. */
export type MailServer = {
  readonly name: string;
  /** From the directory `bench`, such as `baselines/mail-least.ts`; Postern by default. */
  readonly baseline?: string;
};

/** A server, a kind of message, and how the server is set up for it. */
export type MailContender = MailServer & {
  /** Of each message, in octets. */
  readonly size: number;
  /** Whether messages are signed and their sender has records, so that all checks are made. */
  readonly signed: boolean;
  /** Whether the server adds ARC sets. */
  readonly arc: boolean;
  /** How many mailboxes an alias has. */
  readonly mailboxes: number;
};

/** What one contender did in each round. */
export type MailRounds = {
  readonly name: string;
  /** Copies that arrived per second. */
  readonly delivered: readonly number[];
  /** CPU time of the server for a message, in milliseconds. */
  readonly cpu: readonly number[];
  /** How long the reply to a message took, in milliseconds. */
  readonly p50: readonly number[];
  readonly p99: readonly number[];
  /** CPU time of the process that sends and takes mail, as a share of one core. */
  readonly loadCpu: readonly number[];
};

const fixtureOf = ({ mailboxes }: Pick<MailContender, "mailboxes">): Fixture => ({
  accounts: CLIENTS,
  // Requests to the API change the first alias; mail is sent to the second, whose counters it changes.
  aliases: 2,
  recipients: 2 * mailboxes,
  attached: mailboxes,
});

export const mailSetup = (
  { setup }: { readonly setup: Pick<Setup, "issuer" | "audience" | "directory"> },
  load: RunningMailLoad,
  { name, arc, mailboxes }: Pick<MailContender, "name" | "arc" | "mailboxes">,
) => ({
  issuer: setup.issuer,
  audience: setup.audience,
  fixture: fixtureOf({ mailboxes }),
  directory: join(setup.directory, `mail-${name.replaceAll(/\W+/g, "-")}`),
  relayPort: load.relayPort,
  dnsPort: load.dnsPort,
  dkimKey: load.dkimKey,
  arc,
});

/** A job for all clients, each with an alias of its own. */
export const mailJob = (
  { mailPort }: Pick<RunningMailServer, "mailPort">,
  { size, signed, mailboxes }: Pick<MailContender, "size" | "signed" | "mailboxes">,
  seconds: number,
): MailJob => ({
  port: mailPort,
  recipients: Array.from({ length: CLIENTS }, (_, n) => aliasAt(fixtureOf({ mailboxes }), n, 1).email),
  copies: mailboxes,
  size,
  signed,
  seconds,
  count: null,
  rate: null,
  copy: false,
});

/**
 * Sends a message through a server, and checks its copy.
 *
 * @throws Error
 */
export const checkServer = async (
  server: RunningMailServer,
  load: RunningMailLoad,
  contender: Pick<MailContender, "size" | "signed" | "mailboxes">,
): Promise<void> => {
  const job = mailJob(server, contender, 1);
  const { copy } = await load.run({ ...job, recipients: job.recipients.slice(0, 1), count: 1, copy: true });
  const { recipients } = aliasAt(fixtureOf(contender), 0, 1);
  if (copy === null) throw new Error("there is no copy");
  await checkCopy(
    copy,
    recipients.map(({ email }) => email),
    load.dnsPort,
  );
};

/** Counting and sweeping after the last copy must not cost the next contender time. */
const SETTLE_MS = 500;

/**
 * Sends each contender its messages, as fast as it accepts them, a round at a time: each in turn, in a different order
 * each round. A round ends when the last copy has arrived. Before the first one, a copy of each contender is checked.
 *
 * @throws Error
 */
export const compareMail = async <const Contenders extends readonly MailContender[]>(
  contenders: Contenders,
  bench: Bench,
  { rounds, seconds }: Pick<Effort, "rounds" | "seconds"> = bench.effort,
): Promise<{ readonly [N in keyof Contenders]: MailRounds }> => {
  const load = await startMailLoad();
  const lanes: {
    readonly contender: MailContender;
    readonly server: RunningMailServer;
    readonly measured: { readonly [Name in Exclude<keyof MailRounds, "name">]: number[] };
  }[] = [];
  const measure = async (
    { contender, server }: (typeof lanes)[number],
    seconds: number,
  ): Promise<MailLoad & { readonly spent: number }> => {
    const before = await server.usage();
    const measured = await load.run(mailJob(server, contender, seconds));
    await setTimeout(SETTLE_MS);
    const after = await server.usage();
    return { ...measured, spent: (after.cpu - before.cpu) / 1000 };
  };
  try {
    for (const contender of contenders) {
      const server = await startMailServer(mailSetup(bench, load, contender), contender.baseline);
      lanes.push({ contender, server, measured: { delivered: [], cpu: [], p50: [], p99: [], loadCpu: [] } });
    }
    for (const { contender, server } of lanes) await checkServer(server, load, contender);
    for (const lane of lanes) await measure(lane, seconds);
    for (let round = 0; round < rounds; round += 1) {
      const first = round % lanes.length;
      for (const lane of [...lanes.slice(first), ...lanes.slice(0, first)]) {
        const { messages, seconds: elapsed, p50, p99, cpu, spent } = await measure(lane, seconds);
        lane.measured.delivered.push((messages * lane.contender.mailboxes) / elapsed);
        lane.measured.cpu.push(spent / messages);
        lane.measured.p50.push(p50);
        lane.measured.p99.push(p99);
        lane.measured.loadCpu.push(cpu);
      }
    }
    const results = lanes.map(({ contender: { name }, measured }) => ({ name, ...measured }));
    // There is one for each of the contenders, in their order.
    return results as unknown as { readonly [N in keyof Contenders]: MailRounds };
  } finally {
    await load.stop();
    for (const { server } of lanes) await server.stop();
  }
};
