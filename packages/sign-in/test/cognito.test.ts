import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { type Options, startIdentityProvider } from "../../trial/src/identity-provider/identity-provider.ts";
import { PEOPLE, type Person } from "../../trial/src/identity-provider/registered.ts";
import { codeOf, stepAt } from "../../trial/src/identity-provider/totp.ts";
import {
  answerAuthenticatorCode,
  answerNewPassword,
  confirmForgotPassword,
  forgotPassword,
  refresh,
  revoke,
  type SignIn,
  type SignInClient,
  signInWithPassword,
  type Tokens,
} from "../src/index.ts";
import { recorded } from "./support/recorded.ts";

/* Against the trial's user pool, whose SRP AWS's own library accepts. */

const { ready, newcomer, careful } = PEOPLE;

/** A user pool whose clock the test moves, and its app clients, whose requests are recorded. */
const start = async (options: Options = {}) => {
  const time = { now: Date.now() };
  const codes: string[] = [];
  const provider = await startIdentityProvider({
    now: () => time.now,
    onResetCode: (_, code) => void codes.push(code),
    ...options,
  });
  onTestFinished(() => provider.stop());
  const { requests, fetch } = recorded();
  const client = (name: keyof typeof provider.clients): SignInClient => ({
    issuer: provider.issuer,
    clientId: provider.clients[name].id,
    fetch,
    clock: { now: () => time.now },
  });
  const pass = (seconds: number) => {
    time.now += seconds * 1_000;
  };
  return {
    browser: client("browser"),
    commandLine: client("commandLine"),
    scripts: client("scripts"),
    requests,
    codes,
    time,
    pass,
  };
};

const as = ({ email, password }: Person) => ({ username: email, password });

const tokensOf = (outcome: SignIn): Tokens =>
  outcome.type === "signedIn" ? outcome.tokens : expect.unreachable(JSON.stringify(outcome));

const refusal = (code: string, reason: unknown = expect.any(String)) => ({ type: "refused", code, reason });

const subOf = ({ idToken }: Tokens): unknown =>
  JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString()).sub;

test("the right password signs in, and no request contains it, whatever it and the name are", async () => {
  const password = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom(" both ends ", "\ttab", "ünï 日本 🐙", 'a"b\\c', "%2B+ &=", "e\u0301"),
  );
  const name = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
    fc.constant("Zoë 日本"),
  );
  // Zeros at the start of a salt are not part of the number.
  const salt = fc
    .tuple(fc.nat({ max: 3 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
    .map(([zeros, octets]) => octets.fill(0, 0, zeros));
  await fc.assert(
    fc.asyncProperty(name, password, salt, async (name, password, salt) => {
      const person: Person = {
        sub: "5ac1a5e5-0000-4000-8000-00000000000a",
        email: `${name}@example.com`,
        password,
      };
      const provider = await startIdentityProvider({ people: [person], newSalt: () => salt });
      try {
        const { requests, fetch } = recorded();
        const client = { issuer: provider.issuer, clientId: provider.clients.browser.id, fetch };
        expect(subOf(tokensOf(await signInWithPassword(client, as(person))))).toBe(person.sub);
        expect(await signInWithPassword(client, { ...as(person), password: `${password} ` })).toEqual(
          refusal("wrong_credentials"),
        );
        expect(requests).toHaveLength(4);
        // A short one can be anywhere by chance.
        const forms = [
          password,
          JSON.stringify(password).slice(1, -1),
          encodeURIComponent(password),
          Buffer.from(password).toString("base64"),
        ];
        for (const { url, body } of requests) {
          for (const form of forms.filter(({ length }) => length > 5)) expect(url + body).not.toContain(form);
          expect(body).not.toContain('"PASSWORD"');
        }
      } finally {
        await provider.stop();
      }
    }),
    { numRuns: 8 },
  );
});

test("a wrong password and an unknown user are refused alike", async () => {
  const { browser } = await start();
  const wrong = await signInWithPassword(browser, { ...as(ready), password: "Demo-password-2" });
  const unknown = await signInWithPassword(browser, { ...as(ready), username: "nobody@postern.example" });
  expect(wrong).toEqual(refusal("wrong_credentials", "NotAuthorizedException"));
  expect(unknown).toEqual(wrong);
});

test("with a clock that is five minutes off, tokens expire an hour after they were asked for by that clock", async () => {
  const { browser, time } = await start();
  for (const offset of [-300_000, 300_000]) {
    const now = time.now + offset;
    const tokens = tokensOf(await signInWithPassword({ ...browser, clock: { now: () => now } }, as(ready)));
    expect(tokens).toEqual({
      idToken: expect.any(String),
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      expiresAt: now + 3_600_000,
      from: "password",
    });
  }
});

test("who has a temporary password chooses another, which the pool can refuse", async () => {
  const { browser, pass } = await start();
  const challenge = await signInWithPassword(browser, as(newcomer));
  expect(challenge).toEqual({
    type: "newPassword",
    username: newcomer.sub,
    session: expect.any(String),
    requiredAttributes: [],
  });
  if (challenge.type !== "newPassword") return expect.unreachable();
  // It survives JSON.
  const kept: typeof challenge = JSON.parse(JSON.stringify(challenge));
  expect(await answerNewPassword(browser, kept, { password: "weak" })).toEqual(
    refusal("password_refused", "InvalidPasswordException"),
  );
  const password = " My own password 1! ";
  tokensOf(await answerNewPassword(browser, kept, { password }));
  expect(await answerNewPassword(browser, kept, { password })).toEqual(
    refusal("expired", "NotAuthorizedException"),
  );
  tokensOf(await signInWithPassword(browser, { ...as(newcomer), password }));
  expect(await signInWithPassword(browser, as(newcomer))).toEqual(refusal("wrong_credentials"));

  const late = await signInWithPassword(browser, as(careful));
  pass(181);
  if (late.type !== "authenticatorCode") return expect.unreachable();
  expect(await answerAuthenticatorCode(browser, late, "000000")).toEqual(
    refusal("expired", "NotAuthorizedException"),
  );
});

test("who has an authenticator app enters its code, with or without a space, each code once", async () => {
  const { browser, time, pass } = await start();
  const code = () => codeOf(careful.authenticator, stepAt(time.now));
  const challenge = await signInWithPassword(browser, as(careful));
  expect(challenge).toEqual({
    type: "authenticatorCode",
    username: careful.sub,
    session: expect.any(String),
  });
  if (challenge.type !== "authenticatorCode") return expect.unreachable();
  const wrong = code().replace(/./g, (digit) => `${9 - Number(digit)}`);
  expect(await answerAuthenticatorCode(browser, challenge, wrong)).toEqual(
    refusal("wrong_code", "CodeMismatchException"),
  );
  tokensOf(await answerAuthenticatorCode(browser, challenge, code().replace(/^.../, "$& ")));

  const again = await signInWithPassword(browser, as(careful));
  if (again.type !== "authenticatorCode") return expect.unreachable();
  expect(await answerAuthenticatorCode(browser, again, code())).toEqual(
    refusal("wrong_code", "ExpiredCodeException"),
  );
  pass(30);
  tokensOf(await answerAuthenticatorCode(browser, again, code()));
});

test("who has forgotten the password sets another with the code that was sent; nobody learns who has an account", async () => {
  const { browser, codes, pass } = await start();
  const username = ready.email;
  expect(await forgotPassword(browser, username)).toEqual({ type: "codeSent", destination: "d***@p***" });
  expect(await forgotPassword(browser, "nobody@postern.example")).toEqual({
    type: "codeSent",
    destination: "n***@p***",
  });
  expect(await forgotPassword(browser, newcomer.email)).toEqual(refusal("denied", "NotAuthorizedException"));
  const [code = ""] = codes;
  const password = "Another-password-1";
  const wrong = code.replace(/./g, (digit) => `${9 - Number(digit)}`);
  expect(await confirmForgotPassword(browser, { username, code: wrong, password })).toEqual(
    refusal("wrong_code", "CodeMismatchException"),
  );
  expect(await confirmForgotPassword(browser, { username, code, password: "weak" })).toEqual(
    refusal("password_refused"),
  );
  expect(await confirmForgotPassword(browser, { username, code: ` ${code}\n`, password })).toEqual({
    type: "passwordChanged",
  });
  tokensOf(await signInWithPassword(browser, { username, password }));
  expect(await signInWithPassword(browser, as(ready))).toEqual(refusal("wrong_credentials"));

  await forgotPassword(browser, username);
  pass(3_600);
  expect(await confirmForgotPassword(browser, { username, code: codes.at(-1) ?? "", password })).toEqual(
    refusal("expired", "ExpiredCodeException"),
  );
});

test("tokens are renewed, whether the pool rotates refresh tokens or not, until they are revoked", async () => {
  const { browser, commandLine, pass, time } = await start();
  for (const client of [browser, commandLine]) {
    const first = tokensOf(await signInWithPassword(client, as(ready)));
    pass(3_600);
    const second = tokensOf(await refresh(client, first));
    expect(second).toEqual({
      ...first,
      idToken: second.idToken,
      accessToken: second.accessToken,
      refreshToken: second.refreshToken,
      expiresAt: time.now + 3_600_000,
    });
    expect(second.idToken).not.toBe(first.idToken);
    const rotates = client === browser;
    expect(second.refreshToken === first.refreshToken).toBe(!rotates);
    if (rotates) {
      pass(61);
      expect(await refresh(client, first)).toEqual(refusal("signed_out"));
    }
    const last = tokensOf(await signInWithPassword(client, as(ready)));
    expect(await revoke(client, last)).toEqual({ type: "revoked" });
    expect(await revoke(client, last)).toEqual({ type: "revoked" });
    expect(await refresh(client, last)).toEqual(refusal("signed_out"));
  }
  const without = { ...tokensOf(await signInWithPassword(browser, as(ready))), refreshToken: null };
  expect(await refresh(browser, without)).toEqual(refusal("signed_out", "refreshToken"));
  expect(await revoke(browser, without)).toEqual({ type: "revoked" });
});

test("tokens of somebody else do not replace those of a user", async () => {
  const { commandLine, time } = await start();
  const mine = tokensOf(await signInWithPassword(commandLine, as(ready)));
  const challenge = await signInWithPassword(commandLine, as(careful));
  if (challenge.type !== "authenticatorCode") return expect.unreachable();
  const code = codeOf(careful.authenticator, stepAt(time.now));
  const theirs = tokensOf(await answerAuthenticatorCode(commandLine, challenge, code));
  const mixed = { ...mine, refreshToken: theirs.refreshToken };
  expect(await refresh(commandLine, mixed)).toEqual(refusal("untrusted", "sub"));
  // Without the former ID token, nothing says whose they were.
  const { refreshToken, from } = mixed;
  expect(subOf(tokensOf(await refresh(commandLine, { refreshToken, from })))).toBe(careful.sub);
});

test("an app client that does not exist or lacks the flow, and an issuer that is no pool, are for operators", async () => {
  const { browser, scripts, requests } = await start();
  expect(await signInWithPassword({ ...browser, clientId: "nobody" }, as(ready))).toEqual(
    refusal("misconfigured", "ResourceNotFoundException"),
  );
  expect(await signInWithPassword(scripts, as(ready))).toEqual(
    refusal("misconfigured", "InvalidParameterException"),
  );
  const before = requests.length;
  for (const issuer of [
    "",
    "https://id.example.com",
    "https://id.example.com/realms/my_realm",
    `${browser.issuer}/`,
    "ftp://a/us-east-1_A",
  ]) {
    expect(await signInWithPassword({ ...browser, issuer }, as(ready))).toEqual(
      refusal("misconfigured", "issuer"),
    );
  }
  for (const issuer of [
    "http://id.example.com/us-east-1_Abc",
    "http://localhost:80@id.example.com/us-east-1_Abc",
  ]) {
    expect(await signInWithPassword({ ...browser, issuer }, as(ready))).toEqual(
      refusal("misconfigured", "https"),
    );
  }
  expect(requests).toHaveLength(before);
});

test("tokens are renewed by REFRESH_TOKEN_AUTH where Cognito's newer operation is unknown", async () => {
  const { commandLine } = await start();
  const older: typeof fetch = (url, request) =>
    new Headers(request?.headers).get("x-amz-target")?.endsWith(".GetTokensFromRefreshToken")
      ? Promise.resolve(Response.json({ __type: "UnknownOperationException" }, { status: 400 }))
      : fetch(url, request);
  const client = { ...commandLine, fetch: older };
  const first = tokensOf(await signInWithPassword(client, as(ready)));
  const second = tokensOf(await refresh(client, first));
  expect(second.idToken).not.toBe(first.idToken);
  expect(second.refreshToken).toBe(first.refreshToken);
});
