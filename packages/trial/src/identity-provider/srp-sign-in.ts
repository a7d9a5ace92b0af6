import type { People } from "./people.ts";
import { INCORRECT, type Refused, refused } from "./refused.ts";
import type { AppClient } from "./registered.ts";
import type { Outcome, SignIn } from "./sign-in.ts";
import { isProof, parseA, type SrpChallenge, srpChallenge } from "./srp.ts";
import { vouchers } from "./vouchers.ts";

/** Seconds in which the proof can be sent. */
const SESSION = 180;

type Parameters = Readonly<Record<string, string>>;

export type SrpSignIn = {
  begin(client: AppClient, parameters: Parameters): object | Refused;
  end(client: AppClient, responses: Parameters): Outcome;
};

/** Refuses a request that lacks a parameter. */
export const missing = (name: string): Refused =>
  refused("InvalidParameterException", `Missing required parameter ${name}`);

/** The timestamp that Cognito signs: of this time in UTC, with its weekday, and the day without a zero before it. */
const canonical = (timestamp: string): string | undefined => {
  if (!/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d UTC \d{4}$/.test(timestamp)) return undefined;
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return undefined;
  const [weekday, day, month, year, time] = date.toUTCString().split(/,? /);
  return `${weekday} ${month} ${Number(day)} ${time} UTC ${year}`;
};

/** @param pool the id of the pool after its underscore */
export const srpSignInOf = ({
  pool,
  people,
  signIn,
  now,
  newSalt,
}: {
  readonly pool: string;
  readonly people: People;
  readonly signIn: SignIn;
  readonly now: () => number;
  readonly newSalt: () => Uint8Array;
}): SrpSignIn => {
  /** What is under way, by its secret block. */
  const begun = vouchers<{ readonly client: string; readonly A: bigint; readonly srp: SrpChallenge }>(
    SESSION,
    now,
  );
  return {
    begin: (client, { USERNAME, SRP_A }) => {
      if (USERNAME === undefined) return missing("USERNAME");
      if (SRP_A === undefined) return missing("SRP_A");
      const A = parseA(SRP_A);
      if (A === undefined) return refused("InvalidParameterException", "Incorrect SRP_A");
      const { sub, password } = people.find(USERNAME) ?? people.pretended(USERNAME);
      const srp = srpChallenge(pool, sub, password, newSalt());
      return {
        ChallengeName: "PASSWORD_VERIFIER",
        ChallengeParameters: {
          SALT: srp.salt,
          SECRET_BLOCK: begun.issue({ client: client.id, A, srp }),
          SRP_B: srp.B,
          USERNAME: sub,
          USER_ID_FOR_SRP: sub,
        },
      };
    },
    end: (client, responses) => {
      const {
        USERNAME,
        TIMESTAMP,
        PASSWORD_CLAIM_SECRET_BLOCK: block,
        PASSWORD_CLAIM_SIGNATURE: signature,
      } = responses;
      if (USERNAME === undefined) return missing("USERNAME");
      if (TIMESTAMP === undefined) return missing("TIMESTAMP");
      if (block === undefined) return missing("PASSWORD_CLAIM_SECRET_BLOCK");
      if (signature === undefined) return missing("PASSWORD_CLAIM_SIGNATURE");
      const timestamp = canonical(TIMESTAMP);
      if (timestamp === undefined) {
        const form = "TIMESTAMP format should be EEE MMM d HH:mm:ss z yyyy in english.";
        return refused("InvalidParameterException", form);
      }
      const found = begun.read(block);
      begun.take(block);
      const member = people.find(USERNAME);
      return member !== undefined &&
        found?.client === client.id &&
        found.srp.userId === member.sub &&
        isProof(found.srp, found.A, { block, timestamp, signature })
        ? signIn.afterPassword(client, member)
        : INCORRECT;
    },
  };
};
