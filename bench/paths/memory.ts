import * as z from "zod";
import { atMost, rowOf } from "../report/row.ts";
import type { Path } from "../support/path.ts";
import { startProcess } from "../support/start-process.ts";

export const memory: Path = {
  name: "memory",
  about: "Memory of a stored alias with 3 recipients in the memory store, after a garbage collection",
  run: async ({ effort: { rounds } }) => {
    const bytes: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const process = startProcess("functions/memory-of-aliases.ts", [], { execArgv: ["--expose-gc"] });
      bytes.push(z.number().parse(await process.next()));
      await process.stop();
    }
    const goal = atMost(1024, "B");
    return { rows: [rowOf({ path: "memory of a stored alias", what: "heap", goal }, bytes)], rounds: [] };
  },
};
