import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";
import { type Refused, refused } from "./refused.ts";
import type { Person } from "./registered.ts";
import { codeOf, stepAt } from "./totp.ts";

const HOUR = 3_600_000;

/** A person as the pool knows them now. */
export type Member = Person & {
  /** The last step whose code was used. */
  readonly usedStep?: number;
  readonly reset?: { readonly code: string; readonly until: number };
};

export type People = {
  /** By email, in any case, or by name in the pool. */
  find(username: string): Member | undefined;
  /** Somebody with this email who has no password, and whose name is always the same: nobody can tell that they do not exist. */
  pretended(username: string): Member;
  choosePassword(member: Member, password: string): Refused | undefined;
  useCode(member: Member, code: string): Refused | undefined;
  /** A new code with which they can choose another password, for an hour. */
  newResetCode(member: Member): string;
  useResetCode(username: string, code: string, password: string): Refused | undefined;
};

const POLICY: readonly (readonly [RegExp, string])[] = [
  [/^.{8,}$/s, "Password not long enough"],
  [/[A-Z]/, "Password must have uppercase characters"],
  [/[a-z]/, "Password must have lowercase characters"],
  [/[0-9]/, "Password must have numeric characters"],
  [/[\^$*.[\]{}()?"!@#%&/\\,><':;|_~`=+-]|\S \S/, "Password must have symbol characters"],
];

const againstPolicy = (password: string): Refused | undefined => {
  const broken = POLICY.find(([required]) => !required.test(password));
  return broken && refused("InvalidPasswordException", `Password did not conform with policy: ${broken[1]}`);
};

export const peopleOf = (registered: readonly Person[], now: () => number): People => {
  const members = new Map<string, Member>(registered.map((person) => [person.sub, person]));
  const salt = randomUUID();
  const find: People["find"] = (username) =>
    members.get(username) ??
    [...members.values()].find(({ email }) => email.toLowerCase() === username.toLowerCase());
  const change = (member: Member, changed: Partial<Member>) =>
    void members.set(member.sub, { ...member, ...changed });

  return {
    find,
    pretended: (username) => {
      const hex = createHash("sha256").update(`${salt}${username.toLowerCase()}`).digest("hex");
      const sub = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
      return { sub, email: username, password: randomBytes(32).toString("hex") };
    },
    choosePassword: (member, password) => {
      const problem = againstPolicy(password);
      if (problem === undefined) change(member, { password, mustChoosePassword: false });
      return problem;
    },
    useCode: (member, code) => {
      const { authenticator = "", usedStep = 0 } = member;
      const current = stepAt(now());
      // A clock may be a little off.
      const step = [current - 1, current, current + 1].find((each) => codeOf(authenticator, each) === code);
      if (step === undefined) return refused("CodeMismatchException", "Invalid code received for user");
      if (step <= usedStep) {
        return refused("ExpiredCodeException", "Your software token has already been used once.");
      }
      change(member, { usedStep: step });
      return undefined;
    },
    newResetCode: (member) => {
      const code = String(randomInt(1_000_000)).padStart(6, "0");
      change(member, { reset: { code, until: now() + HOUR } });
      return code;
    },
    useResetCode: (username, code, password) => {
      const member = find(username);
      if (member === undefined || (member.reset && member.reset.code !== code)) {
        return refused("CodeMismatchException", "Invalid verification code provided, please try again.");
      }
      const { reset, ...rest } = member;
      if (reset === undefined || now() >= reset.until) {
        return refused("ExpiredCodeException", "Invalid code provided, please request a code again.");
      }
      const problem = againstPolicy(password);
      if (problem === undefined) members.set(member.sub, { ...rest, password, mustChoosePassword: false });
      return problem;
    },
  };
};
