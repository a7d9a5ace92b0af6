import { readdirSync, readFileSync } from "node:fs";
import type { Usage } from "./announce.ts";

/** In `/proc`, CPU time is in hundredths of a second. */
const TICK = 10_000;

type Process = Usage & { readonly pid: number; readonly parent: number };

const processes = function* (): Generator<Process> {
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      // After the name of the program, in parentheses: see proc_pid_stat(5).
      const fields = stat
        .slice(stat.lastIndexOf(") ") + 2)
        .split(" ")
        .map(Number);
      // utime and stime; cutime and cstime are those of its children that have ended, and of theirs.
      const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
      const [, peak] = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
      yield { pid, parent: fields[1] ?? 0, cpu: ticks * TICK, peakRss: Number(peak ?? 0) * 1024 };
    } catch {
      // It has ended meanwhile.
    }
  }
};

/** What a process, by default this one, and its descendants have used, including those that have ended. Only on Linux. */
export const treeUsage = (root: number = process.pid): Usage => {
  const all = [...processes()];
  const usageOf = (of: number): Usage =>
    all
      .filter(({ parent }) => parent === of)
      .map(({ pid }) => usageOf(pid))
      .concat(all.filter(({ pid }) => pid === of))
      .reduce((sum, { cpu, peakRss }) => ({ cpu: sum.cpu + cpu, peakRss: sum.peakRss + peakRss }));
  return usageOf(root);
};
