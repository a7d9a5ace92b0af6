import {
  AuthenticationDetails,
  CognitoUser,
  CognitoUserPool,
  type CognitoUserSession,
} from "amazon-cognito-identity-js";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { runsWhole } from "../../test-support/src/runs-whole.ts";
import {
  type IdentityProvider,
  type Options,
  startIdentityProvider,
} from "../src/identity-provider/identity-provider.ts";
import type { Person } from "../src/identity-provider/registered.ts";

const start = async (options: Options = {}): Promise<IdentityProvider> => {
  const provider = await startIdentityProvider(options);
  onTestFinished(() => provider.stop());
  return provider;
};

/** What the library of AWS makes of signing in with SRP. */
const signInWithLibrary = (
  { url, pool, clients }: IdentityProvider,
  Username: string,
  Password: string,
): Promise<CognitoUserSession> => {
  const Pool = new CognitoUserPool({ UserPoolId: pool, ClientId: clients.browser.id, endpoint: url });
  return new Promise((resolve, reject) =>
    new CognitoUser({ Username, Pool }).authenticateUser(new AuthenticationDetails({ Username, Password }), {
      onSuccess: resolve,
      onFailure: reject,
      newPasswordRequired: () => reject(new Error("NEW_PASSWORD_REQUIRED")),
      totpRequired: () => reject(new Error("SOFTWARE_TOKEN_MFA")),
    }),
  );
};

const ROUNDS = runsWhole(import.meta.url) ? 100 : 8;

const password = fc.oneof(fc.string({ unit: "grapheme", minLength: 1 }), fc.constant(" spaces "));
/** Half of them begin with octets that are zero, so that the number is shorter than the salt. */
const salt = fc
  .tuple(fc.nat({ max: 3 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
  .map(([zeros, octets]) => octets.fill(0, 0, zeros));

test("the library of AWS signs in with SRP, whatever the password and the salt are", async () => {
  const people = fc.sample(password, ROUNDS).map(
    (each, index): Person => ({
      sub: `5ac1a5e5-0000-4000-8000-${String(index).padStart(12, "0")}`,
      email: `person-${index}@example.com`,
      password: each,
    }),
  );
  const salts = fc.sample(salt, ROUNDS);
  const provider = await start({ people, newSalt: () => salts.pop() ?? new Uint8Array() });
  for (const person of people) {
    const session = await signInWithLibrary(provider, person.email, person.password);
    expect(session.getIdToken().payload).toMatchObject({ sub: person.sub, token_use: "id" });
  }
}, 600_000);
