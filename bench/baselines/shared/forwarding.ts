import { aliasesOf, type Fixture } from "../../support/fixture.ts";

/* What all baselines of mail have in common. */

/** The mailboxes of each alias. */
export const mailboxesOf = (fixture: Fixture): ReadonlyMap<string, readonly string[]> =>
  new Map([...aliasesOf(fixture)].map(({ email, recipients }) => [email, recipients.map((to) => to.email)]));

/** At most so many connections to the relay, like Postern. */
export const RELAY_CONNECTIONS = 20;
