import { atLeast } from "../report/row.ts";
import { compare, rateRow } from "../support/compare.ts";
import { BARE, POSTERN } from "../support/contenders.ts";
import { firstPage } from "../support/exchange.ts";
import { accountName, type Fixture } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";

const CONNECTIONS = 32;
const fixture: Fixture = { accounts: CONNECTIONS, aliases: 1000, recipients: 3, attached: 3 };

export const list: Path = {
  name: "list",
  about: `GET /aliases?limit=100 of an account with ${fixture.aliases} aliases, memory store, ${CONNECTIONS} connections`,
  run: async ({ setup, token, effort }) => {
    const rounds = await compare(
      [POSTERN, BARE],
      { ...setup, fixture },
      Array.from({ length: CONNECTIONS }, (_, account) => [
        firstPage(fixture, token(accountName(account)), account),
      ]),
      effort,
    );
    return { rows: [rateRow("GET /aliases?limit=100", rounds[0], rounds[1], atLeast(0.7))], rounds };
  },
};
