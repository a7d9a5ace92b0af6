import { closeSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { Usage } from "./announce.ts";
import { MailAnswer, MailEnds, type MailJob, type MailLoad } from "./mail-protocol.ts";
import type { MailSetup } from "./mail-setup.ts";
import { inRelease } from "./release.ts";
import { startProcess } from "./start-process.ts";

export type RunningMailLoad = MailEnds & {
  /** @throws Error if a reply was not the one expected, or a copy did not arrive */
  run(job: MailJob): Promise<MailLoad>;
  stop(): Promise<void>;
};

/** Starts the process that sends mail, and takes the copies. */
export const startMailLoad = async (): Promise<RunningMailLoad> => {
  const { next, ask, stop } = startProcess("support/mail-load.ts");
  const ends = MailEnds.parse(await next());
  return {
    ...ends,
    run: async (job) => {
      const answer = MailAnswer.parse(await ask(job));
      if ("wrong" in answer) throw new Error(answer.wrong);
      return answer;
    },
    stop,
  };
};

export type RunningMailServer = {
  /** Of its API; a baseline has none. */
  readonly url: string;
  readonly mailPort: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
};

/**
 * Starts Postern's server with mail, or the baseline in a file. What it prints goes to a file in the directory above its own, where the
 * release is built.
 */
export const startMailServer = async (
  setup: MailSetup,
  baseline: string | null = null,
): Promise<RunningMailServer> => {
  const above = dirname(setup.directory);
  const output = openSync(join(above, "mail.log"), "a");
  const program = baseline ?? inRelease("contenders/postern-mail.ts", above);
  const { next, ask, stop } = startProcess(program, [JSON.stringify(setup)], {
    stdio: ["ignore", output, "inherit", "ipc"],
  });
  closeSync(output);
  const { url, mailPort } = z
    .object({ url: z.string().default(""), mailPort: z.number() })
    .parse(await next());
  return { url, mailPort, usage: async () => Usage.parse(await ask("usage")), stop };
};
