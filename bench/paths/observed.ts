import { atLeast } from "../report/row.ts";
import { compare, rateRow } from "../support/compare.ts";
import { POSTERN } from "../support/contenders.ts";
import type { Path } from "../support/path.ts";
import { fixture, oneTokenEach } from "./put.ts";

export const observed: Path = {
  name: "observed",
  about: "The same with an access log to a file, and with metrics",
  run: async ({ setup, token, effort }) => {
    const rounds = await compare(
      [
        POSTERN,
        { ...POSTERN, name: "Postern with access log", setup: { accessLog: true } },
        { ...POSTERN, name: "Postern with metrics", setup: { metrics: true } },
      ],
      { ...setup, fixture },
      oneTokenEach(token),
      effort,
    );
    const [unobserved, logged, counted] = rounds;
    return {
      rows: [
        rateRow("PUT on memory with access log", logged, unobserved, atLeast(0.85)),
        rateRow("PUT on memory with metrics", counted, unobserved, atLeast(0.85)),
      ],
      rounds,
    };
  },
};
