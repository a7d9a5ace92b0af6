import { atMost, rowOf } from "../report/row.ts";
import { median, ratios } from "../report/statistics.ts";
import { warmUp } from "../support/compare.ts";
import { CLIENTS, mailJob, mailSetup } from "../support/compare-mail.ts";
import { swap } from "../support/exchange.ts";
import { accountName } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";
import { startLoad } from "../support/start-load.ts";
import { startMailLoad, startMailServer } from "../support/start-mail.ts";

const MAIL = { name: "beside the API", size: 10_000, signed: true, arc: true, mailboxes: 3 } as const;
/** Requests a second, from all clients together: the server has time for them, and for mail. */
const REQUESTS = 100;
/** A p99 needs many requests. */
const LONGER = 5;

export const mailBesideApi: Path = {
  name: "mail-beside-api",
  about: `PUT /aliases/{id}/recipients, ${REQUESTS} per second, with and without mail at half of the rate that the server can sustain`,
  run: async (bench) => {
    const { rounds, seconds } = bench.effort;
    const mail = await startMailLoad();
    const setup = mailSetup(bench, mail, MAIL);
    const server = await startMailServer(setup);
    const requests = await startLoad(
      Array.from({ length: CLIENTS }, (_, account) => {
        const token = bench.token(accountName(account));
        return [swap(setup.fixture, token, account, 0), swap(setup.fixture, token, account, 1)];
      }),
    );
    try {
      const job = { url: server.url, seconds: seconds * LONGER, rate: REQUESTS };
      await warmUp(requests, { ...job, rate: null, seconds });
      let best = 0;
      for (let run = 0; run < 3; run += 1) {
        const { messages, seconds: elapsed } = await mail.run(mailJob(server, MAIL, seconds));
        best = Math.max(best, messages / elapsed);
      }
      const half = { ...mailJob(server, MAIL, job.seconds), rate: best / 2 };
      const [alone, beside]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        alone.push((await requests.run(job)).p99);
        const [measured] = await Promise.all([requests.run(job), mail.run(half)]);
        beside.push(measured.p99);
      }
      const about = { path: "API while mail flows", what: "p99, with mail at half load ÷ without" };
      return {
        rows: [rowOf({ ...about, goal: atMost(1.5) }, ratios(beside, alone))],
        rounds: [],
        note: `p99 without mail ${median(alone).toFixed(1)} ms, with ${(best / 2).toFixed(0)} messages per second ${median(beside).toFixed(1)} ms.`,
      };
    } finally {
      await requests.stop();
      await mail.stop();
      await server.stop();
    }
  },
};
