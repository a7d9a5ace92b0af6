import * as z from "zod";

/** What a process has used since it started: CPU time of all its threads, in microseconds, and its largest RSS, in bytes. */
export const Usage = z.object({ cpu: z.number(), peakRss: z.number() });
export type Usage = z.output<typeof Usage>;

/** Of this process. */
const ownUsage = (): Usage => {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, peakRss: process.resourceUsage().maxRSS * 1024 };
};

/**
 * Prints where a contender listens, and tells it to the process that started it, if any. From then on each message
 * of that process is answered with the `Usage` of the contender, which by default is this process.
 */
export const announce = (where: string | object, usage = ownUsage): void => {
  console.log(where);
  process.on("message", () => process.send?.(usage()));
  process.on("disconnect", () => process.exit());
  process.send?.(where);
};
