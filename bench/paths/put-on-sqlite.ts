import { atLeast, atMost, rowOf } from "../report/row.ts";
import { ratios } from "../report/statistics.ts";
import { compare, rateRow } from "../support/compare.ts";
import { BARE_SQLITE, POSTERN_SQLITE } from "../support/contenders.ts";
import type { Path } from "../support/path.ts";
import { CONNECTIONS, fixture, oneTokenEach } from "./put.ts";

export const putOnSqlite: Path = {
  name: "put-on-sqlite",
  about: `PUT /aliases/{id}/recipients, 3 recipients, SQLite, each write flushed before its answer, known tokens, rate limit on, one client and ${CONNECTIONS}`,
  run: async ({ setup, token, effort }) => {
    const rounds = await compare(
      [
        { ...POSTERN_SQLITE, name: "Postern, 1 client", connections: 1 },
        { ...BARE_SQLITE, name: "bare transaction, 1 client", connections: 1 },
        {
          ...POSTERN_SQLITE,
          name: `Postern, ${CONNECTIONS} clients`,
          setup: { ...POSTERN_SQLITE.setup, database: "many-clients.db" },
        },
      ],
      { ...setup, fixture },
      oneTokenEach(token),
      effort,
    );
    const [one, bare, many] = rounds;
    return {
      rows: [
        rateRow("PUT on SQLite", one, bare, atLeast(0.8)),
        rateRow("PUT on SQLite, many clients", many, one, atLeast(4)),
        rowOf(
          { path: "PUT on SQLite, many clients", what: "p99 ÷ p50", goal: atMost(4) },
          ratios(many.p99, many.p50),
        ),
      ],
      rounds,
    };
  },
};
