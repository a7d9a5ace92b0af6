import { atLeast } from "../report/row.ts";
import { compare, rateRow } from "../support/compare.ts";
import { BARE, POSTERN } from "../support/contenders.ts";
import { swap } from "../support/exchange.ts";
import { accountName } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";
import { CONNECTIONS, fixture } from "./put.ts";

/**
 * For each connection. All take turns, so a token comes again after some 13,000 others: by then, contenders that cache
 * 10,000 have evicted it.
 */
const TOKENS = 400;

export const newTokens: Path = {
  name: "new-tokens",
  about: "The same with a token that the server has not seen before in each request",
  run: async ({ setup, token, effort }) => {
    const rounds = await compare(
      [POSTERN, { ...BARE, name: "bare with crypto.verify" }],
      { ...setup, fixture },
      Array.from({ length: CONNECTIONS }, (_, account) =>
        Array.from({ length: TOKENS }, (_, n) =>
          swap(fixture, token(accountName(account), { jti: `token ${n}` }), account, n),
        ),
      ),
      effort,
    );
    return { rows: [rateRow("PUT on memory, every token new", rounds[0], rounds[1], atLeast(0.8))], rounds };
  },
};
