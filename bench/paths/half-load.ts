import { atMost, rowOf } from "../report/row.ts";
import { ratios } from "../report/statistics.ts";
import { compare } from "../support/compare.ts";
import { BARE, POSTERN } from "../support/contenders.ts";
import type { Path } from "../support/path.ts";
import { fixture, oneTokenEach } from "./put.ts";

const NOTE =
  "Each server is sent half as many requests as it can answer, at even intervals. The time of a request that has to wait " +
  "for the previous response on its connection is counted from when it was due.";

export const halfLoad: Path = {
  name: "half-load",
  about: "PUT on memory at half load",
  run: async ({ setup, token, effort }) => {
    const rounds = await compare([POSTERN, BARE], { ...setup, fixture }, oneTokenEach(token), effort, 0.5);
    const [postern, bare] = rounds;
    const about = {
      path: "PUT on memory at half load",
      what: "p99, Postern ÷ bare node:http",
      goal: atMost(1.5),
    };
    return { rows: [rowOf(about, ratios(postern.p99, bare.p99))], rounds, note: NOTE };
  },
};
