import type { Member, People } from "./people.ts";
import { INCORRECT, type Refused, refused } from "./refused.ts";
import type { AppClient } from "./registered.ts";
import { vouchers } from "./vouchers.ts";

/** Seconds in which a challenge can be answered. */
const SESSION = 180;

/** What is asked for after the password. */
export type ChallengeName = "NEW_PASSWORD_REQUIRED" | "SOFTWARE_TOKEN_MFA";

export type Outcome =
  | { readonly challenge: ChallengeName; readonly session: string; readonly member: Member }
  | { readonly challenge: "none"; readonly member: Member }
  | Refused;

export type SignIn = {
  withPassword(client: AppClient, username: string, password: string): Outcome;
  /** For somebody who has proved that they know the password. */
  afterPassword(client: AppClient, member: Member): Outcome;
  /** @param answer the new password or the code */
  answer(
    client: AppClient,
    challenge: ChallengeName,
    session: string,
    username: string,
    answer: string,
  ): Outcome;
};

export const signInOf = (people: People, now: () => number): SignIn => {
  const sessions = vouchers<{
    readonly client: string;
    readonly sub: string;
    readonly challenge: ChallengeName;
  }>(SESSION, now);

  const ask = (client: AppClient, member: Member, challenge: ChallengeName): Outcome => ({
    challenge,
    session: sessions.issue({ client: client.id, sub: member.sub, challenge }),
    member,
  });
  const afterNewPassword = (client: AppClient, member: Member): Outcome =>
    member.authenticator === undefined
      ? { challenge: "none", member }
      : ask(client, member, "SOFTWARE_TOKEN_MFA");
  const afterPassword = (client: AppClient, member: Member): Outcome =>
    member.mustChoosePassword
      ? ask(client, member, "NEW_PASSWORD_REQUIRED")
      : afterNewPassword(client, member);

  return {
    withPassword: (client, username, password) => {
      const member = people.find(username);
      return member?.password === password ? afterPassword(client, member) : INCORRECT;
    },
    afterPassword,
    answer: (client, challenge, session, username, answer) => {
      const asked = sessions.read(session);
      const member = people.find(username);
      if (
        member === undefined ||
        asked?.client !== client.id ||
        asked.sub !== member.sub ||
        asked.challenge !== challenge
      ) {
        return refused("NotAuthorizedException", "Invalid session for the user.");
      }
      const isNewPassword = challenge === "NEW_PASSWORD_REQUIRED";
      const problem = isNewPassword ? people.choosePassword(member, answer) : people.useCode(member, answer);
      // After a wrong answer, another one can be given.
      if (problem !== undefined) return problem;
      sessions.take(session);
      return isNewPassword ? afterNewPassword(client, member) : { challenge: "none", member };
    },
  };
};
