import { atLeast } from "../report/row.ts";
import { compare, rateRow } from "../support/compare.ts";
import { BARE, BARE_SQLITE, POSTERN, POSTERN_SQLITE } from "../support/contenders.ts";
import { firstPage } from "../support/exchange.ts";
import { accountName, type Fixture } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";

const CONNECTIONS = 32;
const fixture: Fixture = { accounts: CONNECTIONS, aliases: 1000, recipients: 3, attached: 3 };

export const list: Path = {
  name: "list",
  about: `GET /aliases?limit=100 of an account with ${fixture.aliases} aliases, in memory and on SQLite, ${CONNECTIONS} connections`,
  run: async ({ setup, token, effort }) => {
    const rounds = await compare(
      [
        { ...POSTERN, name: "Postern, in memory" },
        { ...BARE, name: "bare node:http, in memory" },
        // Not the files of other paths, which are full of something else.
        {
          ...POSTERN_SQLITE,
          name: "Postern, SQLite",
          setup: { ...POSTERN_SQLITE.setup, database: "list.db" },
        },
        { ...BARE_SQLITE, setup: { database: "bare-list.db" } },
      ],
      { ...setup, fixture },
      Array.from({ length: CONNECTIONS }, (_, account) => [
        firstPage(fixture, token(accountName(account)), account),
      ]),
      effort,
    );
    const [, , postern, bare] = rounds;
    return { rows: [rateRow("GET /aliases?limit=100", postern, bare, atLeast(0.5))], rounds };
  },
};
