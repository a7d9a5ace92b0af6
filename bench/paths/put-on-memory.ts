import { atLeast, atMost, rowOf } from "../report/row.ts";
import { compare, rateRow } from "../support/compare.ts";
import { BARE, POSTERN, USER_WRITTEN } from "../support/contenders.ts";
import type { Path } from "../support/path.ts";
import { CONNECTIONS, fixture, oneTokenEach } from "./put.ts";

const PATH = "authenticated PUT on memory";

export const putOnMemory: Path = {
  name: "put-on-memory",
  about: `PUT /aliases/{id}/recipients, 3 recipients, memory store, known tokens, rate limit on, ${CONNECTIONS} connections`,
  run: async ({ setup, token, effort }) => {
    const rounds = await compare(
      [POSTERN, BARE, ...USER_WRITTEN],
      { ...setup, fixture },
      oneTokenEach(token),
      effort,
    );
    const [postern, , express, nest, hono] = rounds;
    return {
      rows: [
        rateRow(PATH, postern, express, atLeast(1.9)),
        rateRow(PATH, postern, nest, atLeast(2.5)),
        rateRow(PATH, postern, hono, atLeast(2.5)),
        rowOf(
          { path: "memory under that load", what: "peak RSS of Postern", goal: atMost(150, "MB") },
          postern.peakRss.map((bytes) => bytes / 1e6),
        ),
      ],
      rounds,
    };
  },
};
