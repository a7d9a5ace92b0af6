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
    const [postern, bare, ...userWritten] = rounds;
    return {
      rows: [
        rateRow(PATH, postern, bare, atLeast(0.7)),
        ...userWritten.map((each) => rateRow(PATH, postern, each, atLeast(1.5))),
        rowOf(
          { path: "memory under that load", what: "peak RSS of Postern", goal: atMost(150, "MB") },
          postern.peakRss.map((bytes) => bytes / 1e6),
        ),
      ],
      rounds,
    };
  },
};
