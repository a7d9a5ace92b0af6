import { setTimeout } from "node:timers/promises";
import type { Effort, Rounds } from "../report/report.ts";
import { type Goal, type Row, rowOf } from "../report/row.ts";
import { ratios } from "../report/statistics.ts";
import type { Exchanges, Job } from "./load-protocol.ts";
import type { Setup } from "./setup.ts";
import { type Contender, type RunningContender, startContender } from "./start-contender.ts";
import { type RunningLoad, startLoad } from "./start-load.ts";

/** Before the first round, as a multiple of a round: by then, everything that is hot has been compiled. */
const WARM_UP = 1.5;
/** Before each measurement: the caches of the processor are another contender's. */
const SETTLE = 0.1;

const emptyRounds = () => {
  const none = (): number[] => [];
  return { rate: none(), cpu: none(), p50: none(), p99: none(), loadCpu: none(), peakRss: none() };
};

/** A server that has just started may respond that it is not available yet. Everything after this must be right. */
export const warmUp = async (load: RunningLoad, job: Job): Promise<void> => {
  for (let attempts = 5; ; attempts -= 1) {
    try {
      await load.run(job);
      return;
    } catch (wrong) {
      if (attempts === 1) throw wrong;
      await setTimeout(1000);
    }
  }
};

/** How many requests a server can answer per second: the best of three runs. */
const capacity = async (load: RunningLoad, job: Job): Promise<number> => {
  let best = 0;
  for (let run = 0; run < 3; run += 1) {
    const { requests, seconds } = await load.run(job);
    best = Math.max(best, requests / seconds);
  }
  return best;
};

/**
 * Sends the same exchanges to each contender, a round at a time: each in turn, in a different order each round, so that
 * whatever else happens on the machine happens to all of them.
 *
 * @param share how many requests to send in a second, as a share of what each contender can answer; by default each is sent
 *   the next request on a connection as soon as it has answered the last one
 */
export const compare = async <const Contenders extends readonly Contender[]>(
  contenders: Contenders,
  setup: Setup,
  exchanges: Exchanges,
  { rounds, seconds }: Effort,
  share: number | null = null,
): Promise<{ readonly [N in keyof Contenders]: Rounds }> => {
  const load = await startLoad(exchanges);
  const lanes: {
    readonly server: RunningContender;
    job: Job;
    readonly measured: ReturnType<typeof emptyRounds>;
  }[] = [];
  try {
    for (const contender of contenders) {
      const server = await startContender(contender, setup);
      const job = { url: server.url, seconds, rate: null, connections: contender.connections };
      lanes.push({ server, job, measured: emptyRounds() });
    }
    for (const lane of lanes) {
      await warmUp(load, { ...lane.job, seconds: seconds * WARM_UP });
      if (share !== null) lane.job = { ...lane.job, rate: share * (await capacity(load, lane.job)) };
    }
    for (let round = 0; round < rounds; round += 1) {
      const first = round % lanes.length;
      for (const { server, job, measured } of [...lanes.slice(first), ...lanes.slice(0, first)]) {
        await load.run({ ...job, seconds: seconds * SETTLE });
        const before = await server.usage();
        const { requests, seconds: elapsed, p50, p99, cpu } = await load.run(job);
        const after = await server.usage();
        measured.rate.push(requests / elapsed);
        measured.cpu.push((after.cpu - before.cpu) / requests);
        measured.p50.push(p50);
        measured.p99.push(p99);
        measured.loadCpu.push(cpu);
        measured.peakRss.push(after.peakRss);
      }
    }
    const results = lanes.map(({ server: { name }, measured }) => ({ name, ...measured }));
    // There is one for each of the contenders, in their order.
    return results as unknown as { readonly [N in keyof Contenders]: Rounds };
  } finally {
    await load.stop();
    for (const { server } of lanes) await server.stop();
  }
};

/** How many requests one contender answers in a second, compared to another one in the same round. */
export const rateRow = (path: string, of: Rounds, to: Rounds, goal: Goal): Row =>
  rowOf({ path, what: `requests/s, ${of.name} ÷ ${to.name}`, goal }, ratios(of.rate, to.rate));
