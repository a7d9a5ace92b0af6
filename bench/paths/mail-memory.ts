import { atMost, rowOf } from "../report/row.ts";
import { mailJob, mailSetup } from "../support/compare-mail.ts";
import type { Path } from "../support/path.ts";
import { startMailLoad, startMailServer } from "../support/start-mail.ts";

const AT_ONCE = 4;
const LARGE = { name: "25 MB", size: 25_000_000, signed: false, arc: true, mailboxes: 1 } as const;
const SMALL = { ...LARGE, size: 10_000 };

export const mailMemory: Path = {
  name: "mail-memory",
  about: `Memory of the server while it receives and forwards ${AT_ONCE} messages of 25 MB at the same time`,
  run: async (bench) => {
    const grown: number[] = [];
    for (let round = 0; round < bench.effort.rounds; round += 1) {
      const load = await startMailLoad();
      const server = await startMailServer(
        mailSetup(bench, load, { ...LARGE, name: `${LARGE.name} ${round}` }),
      );
      try {
        // Loads everything that is loaded with the first message.
        await load.run(mailJob(server, SMALL, bench.effort.seconds));
        const idle = await server.usage();
        const job = mailJob(server, LARGE, bench.effort.seconds);
        await load.run({ ...job, recipients: job.recipients.slice(0, AT_ONCE), count: 1 });
        const after = await server.usage();
        grown.push((after.peakRss - idle.peakRss) / 1e6);
      } finally {
        await load.stop();
        await server.stop();
      }
    }
    const about = { path: "mail, 4 messages of 25 MB", what: "peak RSS above that with small messages" };
    return { rows: [rowOf({ ...about, goal: atMost(80, "MB") }, grown)], rounds: [] };
  },
};
