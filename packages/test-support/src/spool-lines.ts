import { spawn } from "node:child_process";
import { once } from "node:events";
import type { CopyId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { CopyState, LoggedRevision, Spool } from "@postern/mail";
import { expect } from "vitest";
import { contentOf, NOW, readBody } from "./spool-mail.ts";

/* What `writeUntilKilled` prints, and whether a spool has it. */

/** Starts the program in the file, which calls `writeUntilKilled`. `shell` runs it as `"$@"`. */
export const startWriter = (file: string, args: readonly string[], shell = 'exec "$@"') => {
  const writer = spawn("sh", ["-c", shell, "sh", process.execPath, file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output: string[] = [];
  const { promise: firstAcknowledged, resolve } = Promise.withResolvers<void>();
  writer.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.push(text);
    if (/"(?:kept|settled)"/.test(text)) resolve();
  });
  return {
    firstLine: once(writer.stdout, "data"),
    firstAcknowledged,
    kill: () => writer.kill("SIGKILL"),
    ended: once(writer, "close").then(([code, signal]) => ({ code, signal, output: output.join("") })),
  };
};

type Settling = {
  readonly copy: CopyId;
  readonly state: CopyState;
  readonly events: readonly string[];
  readonly notice?: CopyId;
};
export type Line = {
  readonly keeping?: readonly CopyId[];
  readonly kept?: { readonly copies: readonly CopyId[]; readonly seed: number; readonly size: number };
  readonly settling?: Settling;
  readonly settled?: Settling;
  readonly telling?: readonly string[];
  readonly logging?: readonly LoggedRevision[];
  readonly logged?: readonly LoggedRevision[];
  readonly end?: { readonly codes: readonly string[]; readonly reads: boolean };
};

/** What a process has printed. */
export const linesOf = (output: string): readonly Line[] =>
  // The last line has no end if the writer was killed while printing it.
  output
    .split("\n")
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));

const stateOf = async (spool: Spool, copy: CopyId) => valueOf(await spool.find(copy))?.copy.state;

/** Throws unless the spool has everything that was acknowledged, and all or nothing of the rest. Returns how much was acknowledged. */
export const expectAcknowledged = async (spool: Spool, lines: readonly Line[]): Promise<number> => {
  const uncounted = new Set<string>(valueOf(await spool.uncounted(1_000_000)).map(({ event }) => event.id));
  const telling = new Set(lines.flatMap(({ telling }) => telling ?? []));
  let acknowledged = 0;
  for (const { keeping, kept, settled, settling } of lines) {
    if (kept !== undefined) {
      acknowledged += 1;
      for (const copy of kept.copies) expect(await stateOf(spool, copy)).toBeDefined();
    }
    if (keeping !== undefined) {
      const states = await Promise.all(keeping.map((copy) => stateOf(spool, copy)));
      expect(new Set(states.map((state) => state === undefined)).size).toBe(1);
    }
    if (settled !== undefined && settled.state !== "queued") {
      acknowledged += 1;
      expect(await stateOf(spool, settled.copy)).toBe(settled.state);
      expect(settled.events.filter((event) => !uncounted.has(event) && !telling.has(event))).toEqual([]);
    }
    if (settling?.notice !== undefined) {
      // The outcome and the notice are there, or neither, unless other copies of the group did not fail.
      const [state, notice] = [await stateOf(spool, settling.copy), await stateOf(spool, settling.notice)];
      if (notice !== undefined) expect(state).toBe("failed");
    }
  }
  const contents = new Map(
    lines.flatMap(({ kept }) => kept?.copies.map((copy) => [copy, kept] as const) ?? []),
  );
  for (const { copy, body } of valueOf(await spool.take(NOW + 1e10, 1_000_000, [])).copies) {
    const kept = contents.get(copy.id);
    const content = await readBody(body);
    if (kept !== undefined) expect(Buffer.compare(content, contentOf(kept.seed, kept.size))).toBe(0);
  }
  return acknowledged;
};
