import { createHmac } from "node:crypto";
import { createRequire } from "node:module";

/* The parts of AWS's own library that know SRP. It has no types for them. */

type BigInteger = { toString(radix: number): string };

type AuthenticationHelper = {
  readonly N: BigInteger;
  generateRandomSmallA(): BigInteger;
  getLargeAValue(callback: (error: unknown, A: BigInteger) => void): void;
  getPasswordAuthenticationKey(
    userId: string,
    password: string,
    B: BigInteger,
    salt: BigInteger,
    callback: (error: unknown, key: Uint8Array) => void,
  ): void;
};

const require = createRequire(import.meta.url);
const {
  default: Helper,
}: {
  default: new (pool: string) => AuthenticationHelper;
} = require("amazon-cognito-identity-js/lib/AuthenticationHelper.js");
const {
  default: BigInteger,
}: {
  default: new (digits: string, radix: number) => BigInteger;
} = require("amazon-cognito-identity-js/lib/BigInteger.js");
const {
  default: DateHelper,
}: {
  default: new () => { getNowString(): string };
} = require("amazon-cognito-identity-js/lib/DateHelper.js");

/** The time now, as the library sends it. */
export const timestampNow = (): string => new DateHelper().getNowString();

/** The library's client, with this secret. It throws for numbers that it refuses. */
export const oracle = (pool: string, a: bigint) => {
  class WithSecret extends Helper {
    override generateRandomSmallA() {
      return new BigInteger(a.toString(16), 16);
    }
  }
  const helper = new WithSecret(pool);
  return {
    N: BigInt(`0x${helper.N.toString(16)}`),
    /** SRP_A. */
    A: (): string => {
      let digits = "";
      helper.getLargeAValue((_, A) => {
        digits = A.toString(16);
      });
      return digits;
    },
    /** PASSWORD_CLAIM_SIGNATURE. */
    proof: (
      question: { SALT: string; SRP_B: string; SECRET_BLOCK: string; USER_ID_FOR_SRP: string },
      password: string,
      timestamp: string,
    ): string => {
      const { SALT, SRP_B, SECRET_BLOCK, USER_ID_FOR_SRP } = question;
      let key: Uint8Array = new Uint8Array();
      helper.getPasswordAuthenticationKey(
        USER_ID_FOR_SRP,
        password,
        new BigInteger(SRP_B, 16),
        new BigInteger(SALT, 16),
        (_, derived) => {
          key = derived;
        },
      );
      return createHmac("sha256", key)
        .update(pool)
        .update(USER_ID_FOR_SRP)
        .update(Buffer.from(SECRET_BLOCK, "base64"))
        .update(timestamp)
        .digest("base64");
    },
  };
};
