import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { Usage } from "./announce.ts";
import { inRelease } from "./release.ts";
import type { Setup } from "./setup.ts";
import { startProcess } from "./start-process.ts";

/** A program that serves the API, in a process of its own. */
export type Contender = {
  readonly name: string;
  /** From the directory `bench`, such as `baselines/bare-memory.ts`. */
  readonly file: string;
  /** Whether it is built and then run as operators do. By default it runs from its sources. */
  readonly built?: true;
  /** How its setup differs from the one that all contenders of a comparison have. */
  readonly setup?: Partial<Setup>;
  /** How many of the connections send it requests; all by default. */
  readonly connections?: number;
};

export type RunningContender = {
  readonly name: string;
  readonly url: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
};

/** Starts a contender, and waits until it listens. What it prints goes to a file in `directory`, as a log would. */
export const startContender = async (
  { name, file, built, setup = {} }: Contender,
  shared: Setup,
): Promise<RunningContender> => {
  const output = openSync(join(shared.directory, `${name.replaceAll(/\W+/g, "-")}.log`), "a");
  const program = built ? inRelease(file, shared.directory) : file;
  const { next, ask, stop } = startProcess(program, [JSON.stringify({ ...shared, ...setup })], {
    stdio: ["ignore", output, "inherit", "ipc"],
  });
  closeSync(output);
  const url = z.url().parse(await next());
  return { name, url, usage: async () => Usage.parse(await ask("usage")), stop };
};
