import { type Exchange, swap } from "../support/exchange.ts";
import { accountName, type Fixture } from "../support/fixture.ts";
import type { Bench } from "../support/path.ts";

/* What the paths that replace recipients have in common. */

/** Each client has an account, an alias and a token of its own. */
export const CONNECTIONS = 32;

export const fixture: Fixture = { accounts: CONNECTIONS, aliases: 100, recipients: 6, attached: 3 };

/** Replaces three recipients by three others, back and forth, on each connection with one token. */
export const oneTokenEach = (
  token: Bench["token"],
  connections = CONNECTIONS,
): readonly (readonly Exchange[])[] =>
  Array.from({ length: connections }, (_, account) => {
    const own = token(accountName(account));
    return [swap(fixture, own, account, 0), swap(fixture, own, account, 1)];
  });
