import { installOnDebian } from "@postern/test-support/install-on-debian";
import { OPENDKIM_PROGRAMS, POSTFIX_PROGRAMS } from "@postern/test-support/postfix";
import { atLeast, atMost, type Goal, type Row, rowOf } from "../report/row.ts";
import { median, ratios } from "../report/statistics.ts";
import { CLIENTS, compareMail, type MailContender, type MailRounds } from "../support/compare-mail.ts";
import { HARAKA, LEAST_MAIL, POSTFIX } from "../support/contenders.ts";
import type { Path } from "../support/path.ts";

const SMALL = { size: 10_000, signed: false, arc: false, mailboxes: 1 } as const;

const CONTENDERS = [
  { ...SMALL, name: "10 KB" },
  { ...SMALL, name: "10 KB, signed by its sender", signed: true },
  { ...SMALL, name: "10 KB, signed by its sender, with ARC", signed: true, arc: true },
  { ...SMALL, name: "10 KB, 3 mailboxes", mailboxes: 3 },
  { ...SMALL, name: "1 MB", size: 1_000_000 },
] as const satisfies readonly MailContender[];

/** The goals: Postern's figures divided by those of a peer. */
const PEERS = [
  { ...SMALL, ...POSTFIX, rate: 1, cpu: 0.7 },
  { ...SMALL, ...HARAKA, rate: 1.2, cpu: 0.8 },
  // What Postern does besides has its price: see README.md.
  { ...SMALL, ...LEAST_MAIL, rate: 0.5, cpu: 2 },
] as const;

/** Whether Postfix and OpenDKIM are there. They are installed if that is possible. */
const hasPostfix = (): boolean => {
  if (process.getuid?.() !== 0) return false;
  try {
    installOnDebian([...POSTFIX_PROGRAMS, ...OPENDKIM_PROGRAMS]);
    return true;
  } catch {
    return false;
  }
};

const figures = ({ name, delivered, cpu, p50, p99, loadCpu }: MailRounds): string =>
  `- ${name}: ${median(delivered).toFixed(0)} copies/s, ${median(cpu).toFixed(2)} ms of CPU per message, 250 after ${median(p50).toFixed(0)} ms (p99 ${median(p99).toFixed(0)} ms); clients and mailboxes: ${(100 * median(loadCpu)).toFixed(0)} % of a core`;

/** How Postern compares to a peer; nothing if that was not measured. */
const besidePeer = (
  { name, rate, cpu }: (typeof PEERS)[number],
  postern: MailRounds,
  others: readonly MailRounds[],
): readonly Row[] => {
  const peer = others.find((other) => other.name === name);
  if (peer === undefined) return [];
  const about = (what: string, goal: Goal) => ({
    path: "mail of 10 KB",
    what: `${what}, Postern ÷ ${name}`,
    goal,
  });
  return [
    rowOf(about("copies/s", atLeast(rate)), ratios(postern.delivered, peer.delivered)),
    rowOf(about("CPU per message", atMost(cpu)), ratios(postern.cpu, peer.cpu)),
  ];
};

export const mail: Path = {
  name: "mail",
  about: `Mail: from ${CLIENTS} clients through the server, signed with DKIM, to the mailboxes; the spool on disk, the store in memory. Its peers forward the messages of the first kind`,
  run: async (bench) => {
    const peers = hasPostfix() ? PEERS : PEERS.filter(({ name }) => name !== POSTFIX.name);
    const rounds = await compareMail([...CONTENDERS, ...peers], bench);
    const [plain, checked, sealed, three, large, ...others] = rounds;
    const delivered = (path: string, of: MailRounds, least: number) =>
      rowOf({ path, what: "delivered copies", goal: atLeast(least, "/s") }, of.delivered);
    const cpu = (path: string, of: MailRounds, most: number) =>
      rowOf({ path, what: "CPU per message", goal: atMost(most, "ms") }, of.cpu);
    return {
      rows: [
        delivered("mail of 10 KB", plain, 400),
        cpu("mail of 10 KB", plain, 2.5),
        ...PEERS.flatMap((peer) => besidePeer(peer, plain, others)),
        delivered("mail of 10 KB, all checks", checked, 300),
        rowOf(
          { path: "mail of 10 KB, all checks", what: "p99 until 250", goal: atMost(100, "ms") },
          checked.p99,
        ),
        delivered("mail of 10 KB, all checks, ARC", sealed, 180),
        rowOf(
          { path: "mail to 3 mailboxes", what: "CPU per message, 3 mailboxes ÷ 1", goal: atMost(1.4) },
          ratios(three.cpu, plain.cpu),
        ),
        delivered("mail of 1 MB", large, 25),
        cpu("mail of 1 MB", large, 30),
      ],
      rounds: [],
      note: [
        ...rounds.map(figures),
        ...(peers.length < PEERS.length
          ? [`- ${POSTFIX.name}: left out, for want of root or of the programs`]
          : []),
      ].join("\n"),
    };
  },
};
