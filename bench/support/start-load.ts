import { Answer, type Exchanges, type Job, type Load } from "./load-protocol.ts";
import { startProcess } from "./start-process.ts";

export type RunningLoad = {
  /** @throws Error if a response was not the one expected */
  run(job: Job): Promise<Load>;
  stop(): Promise<void>;
};

/** Starts the process that sends requests. */
export const startLoad = async (exchanges: Exchanges): Promise<RunningLoad> => {
  const { ask, stop } = startProcess("support/load.ts");
  await ask(exchanges);
  return {
    run: async (job) => {
      const answer = Answer.parse(await ask(job));
      if ("wrong" in answer) throw new Error(`${job.url}: ${answer.wrong}`);
      return answer;
    },
    stop,
  };
};
