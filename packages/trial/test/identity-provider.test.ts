import {
  AuthenticationDetails,
  CognitoUser,
  CognitoUserPool,
  type CognitoUserSession,
  type IAuthenticationCallback,
} from "amazon-cognito-identity-js";
import fc from "fast-check";
import * as oidc from "openid-client";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { runsWhole } from "../../test-support/src/runs-whole.ts";
import {
  type IdentityProvider,
  type Options,
  startIdentityProvider,
} from "../src/identity-provider/identity-provider.ts";
import { type AppClient, PEOPLE, type Person } from "../src/identity-provider/registered.ts";
import { codeOf, stepAt } from "../src/identity-provider/totp.ts";

const { ready, newcomer, careful } = PEOPLE;
const NOBODY = "nobody@postern.example";

/** A provider whose clock is moved by the test. */
const start = async (options: Options = {}) => {
  const clock = { now: Date.now() };
  const provider = await startIdentityProvider({ now: () => clock.now, ...options });
  onTestFinished(() => provider.stop());
  const pass = (seconds: number) => {
    clock.now += seconds * 1000;
  };
  /** What careful's authenticator app shows. */
  const code = () => codeOf(careful.authenticator, stepAt(clock.now));
  return { ...provider, pass, code };
};

const Answer = z.object({
  __type: z.string().optional(),
  message: z.string().optional(),
  ChallengeName: z.string().optional(),
  Session: z.string().optional(),
  ChallengeParameters: z.record(z.string(), z.string()).optional(),
  AuthenticationResult: z
    .strictObject({
      AccessToken: z.string(),
      IdToken: z.string(),
      ExpiresIn: z.literal(3600),
      TokenType: z.literal("Bearer"),
      RefreshToken: z.string().optional(),
    })
    .optional(),
});

/** Sends a request as AWS's libraries do. */
const ask = async ({ url }: IdentityProvider, operation: string, body: object | string) => {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = Answer.parse(await response.json());
  expect(response.status).toBe(answer.__type === undefined ? 200 : 400);
  expect(response.headers.get("x-amzn-errortype")).toBe(answer.__type ? `${answer.__type}:` : null);
  expect(response.headers.get("content-type")).toMatch(/^application\/x-amz-json-1\.1/);
  return answer;
};

const initiate = (
  provider: IdentityProvider,
  client: AppClient,
  AuthFlow: string,
  AuthParameters: Readonly<Record<string, string>>,
) => ask(provider, "InitiateAuth", { ClientId: client.id, AuthFlow, AuthParameters });

const withPassword = (provider: IdentityProvider, USERNAME: string, PASSWORD: string) =>
  initiate(provider, provider.clients.scripts, "USER_PASSWORD_AUTH", { USERNAME, PASSWORD });

const tokensIn = ({ AuthenticationResult }: z.infer<typeof Answer>) =>
  AuthenticationResult ?? expect.unreachable("there are no tokens");

/** A user of AWS's library, and what it makes of signing in with SRP. */
const inLibrary = ({ url, pool }: IdentityProvider, client: AppClient, Username: string) => {
  const Pool = new CognitoUserPool({ UserPoolId: pool, ClientId: client.id, endpoint: url });
  const user = new CognitoUser({ Username, Pool });
  /** What a step leads to: a session, or the name of a challenge. */
  const step = (take: (callbacks: IAuthenticationCallback) => void) =>
    new Promise<CognitoUserSession | string>((resolve, reject) =>
      take({
        onSuccess: resolve,
        onFailure: reject,
        newPasswordRequired: () => resolve("NEW_PASSWORD_REQUIRED"),
        totpRequired: (name) => resolve(name),
      }),
    );
  return {
    signIn: (Password: string) =>
      step((callbacks) =>
        user.authenticateUser(new AuthenticationDetails({ Username, Password }), callbacks),
      ),
    choose: (password: string) =>
      step((callbacks) => user.completeNewPasswordChallenge(password, {}, callbacks)),
    enter: (code: string) => step((callbacks) => user.sendMFACode(code, callbacks, "SOFTWARE_TOKEN_MFA")),
  };
};

const subOf = (result: CognitoUserSession | string): unknown =>
  typeof result === "string" ? result : result.getIdToken().payload["sub"];

const ROUNDS = runsWhole(import.meta.url) ? 100 : 8;

const password = fc.oneof(fc.string({ unit: "grapheme", minLength: 1 }), fc.constant(" spaces "));
/** Most begin with octets that are zero, so that the number is shorter than the salt. */
const salt = fc
  .tuple(fc.nat({ max: 3 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
  .map(([zeros, octets]) => octets.fill(0, 0, zeros));

test("AWS's library signs in with SRP, whatever the password and the salt are, and not with another password", async () => {
  const people = fc.sample(password, ROUNDS).map(
    (each, index): Person => ({
      sub: `5ac1a5e5-0000-4000-8000-${String(index).padStart(12, "0")}`,
      email: `person-${index}@example.com`,
      password: each,
    }),
  );
  const salts = fc.sample(salt, ROUNDS + 2);
  const provider = await start({ people, newSalt: () => salts.pop() ?? expect.unreachable() });
  const signIn = (email: string, each: string) =>
    inLibrary(provider, provider.clients.browser, email).signIn(each);
  for (const person of people) {
    expect(subOf(await signIn(person.email.toUpperCase(), person.password))).toBe(person.sub);
  }
  const [first = ready] = people;
  const incorrect = { name: "NotAuthorizedException", message: "Incorrect username or password." };
  await expect(signIn(first.email, `${first.password} `)).rejects.toMatchObject(incorrect);
  await expect(signIn(NOBODY, first.password)).rejects.toMatchObject(incorrect);
}, 600_000);

test("nobody can tell a wrong password from an unknown user", async () => {
  const provider = await start();
  const known = await withPassword(provider, ready.email, "wrong");
  expect(known).toEqual({ __type: "NotAuthorizedException", message: "Incorrect username or password." });
  expect(await withPassword(provider, NOBODY, "wrong")).toEqual(known);
  expect(await withPassword(provider, newcomer.email, "wrong")).toEqual(known);
  expect(await withPassword(provider, careful.email, "wrong")).toEqual(known);

  const { browser } = provider.clients;
  const begin = async (USERNAME: string) => {
    const answer = await initiate(provider, browser, "USER_SRP_AUTH", { USERNAME, SRP_A: "2a" });
    const { SALT, SECRET_BLOCK, SRP_B, ...names } = answer.ChallengeParameters ?? {};
    return { ...answer, ChallengeParameters: names, random: { SALT, SECRET_BLOCK, SRP_B } };
  };
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
  for (const username of [ready.email, NOBODY]) {
    const answer = await begin(username);
    const { USERNAME = "" } = answer.ChallengeParameters;
    expect(answer).toEqual({
      ChallengeName: "PASSWORD_VERIFIER",
      ChallengeParameters: { USERNAME: expect.stringMatching(uuid), USER_ID_FOR_SRP: USERNAME },
      random: {
        SALT: expect.stringMatching(/^[0-9a-f]{20,32}$/),
        SECRET_BLOCK: expect.stringMatching(/^[\w+/]{64}$/),
        SRP_B: expect.stringMatching(/^[0-9a-f]{700,768}$/),
      },
    });
    expect((await begin(username)).ChallengeParameters).toEqual(answer.ChallengeParameters);
  }
});

test("SRP refuses numbers that would give the key away, and timestamps that Cognito does not understand", async () => {
  const provider = await start();
  const { browser } = provider.clients;
  const begin = (SRP_A: string) =>
    initiate(provider, browser, "USER_SRP_AUTH", { USERNAME: ready.email, SRP_A });
  for (const A of ["0", "", "x", "f".repeat(2000)]) {
    expect(await begin(A)).toMatchObject({ __type: "InvalidParameterException" });
  }
  const { ChallengeParameters } = await begin("2a");
  const end = (TIMESTAMP: string) =>
    ask(provider, "RespondToAuthChallenge", {
      ClientId: browser.id,
      ChallengeName: "PASSWORD_VERIFIER",
      ChallengeResponses: {
        USERNAME: ready.sub,
        TIMESTAMP,
        PASSWORD_CLAIM_SECRET_BLOCK: ChallengeParameters?.["SECRET_BLOCK"],
        PASSWORD_CLAIM_SIGNATURE: "AAAA",
      },
    });
  const form = { message: "TIMESTAMP format should be EEE MMM d HH:mm:ss z yyyy in english." };
  expect(await end("Sa. Nov. 28 01:02:03 UTC 2026")).toMatchObject(form);
  expect(await end("2026-11-28T01:02:03Z")).toMatchObject(form);
  expect(await end("Sat Nov 28 01:02:03 UTC 2026")).toMatchObject({ __type: "NotAuthorizedException" });
});

test("each client has its own flows, and no other one", async () => {
  const provider = await start();
  const { browser, commandLine, scripts } = provider.clients;
  const flows = async (client: AppClient) => {
    const parameters = { USERNAME: NOBODY, PASSWORD: "x", SRP_A: "2a", REFRESH_TOKEN: "x" };
    const names = ["USER_SRP_AUTH", "USER_PASSWORD_AUTH", "REFRESH_TOKEN_AUTH", "ADMIN_NO_SRP_AUTH"];
    const answers = await Promise.all(names.map((name) => initiate(provider, client, name, parameters)));
    return answers.map(({ message, ChallengeName }) => ChallengeName ?? message);
  };
  const noSrp = "USER_SRP_AUTH is not enabled for the client.";
  const noPassword = "USER_PASSWORD_AUTH flow not enabled for this client";
  const noRefresh = "Auth flow not enabled for this client";
  const never = "Initiate Auth method not supported.";
  const wrong = "Incorrect username or password.";
  const invalid = "Invalid Refresh Token";
  expect(await flows(browser)).toEqual(["PASSWORD_VERIFIER", noPassword, noRefresh, never]);
  expect(await flows(commandLine)).toEqual(["PASSWORD_VERIFIER", noPassword, invalid, never]);
  expect(await flows(scripts)).toEqual([noSrp, wrong, invalid, never]);
  expect(await flows({ ...browser, id: "another" })).toEqual(
    Array(4).fill("User pool client another does not exist."),
  );
});

test("a newcomer chooses a password that the policy allows, and signs in with it from then on", async () => {
  const provider = await start();
  const library = inLibrary(provider, provider.clients.commandLine, newcomer.email);
  expect(await library.signIn(newcomer.password)).toBe("NEW_PASSWORD_REQUIRED");
  for (const [weak, problem] of [
    ["Short-1", "Password not long enough"],
    ["no-uppercase-1", "Password must have uppercase characters"],
    ["NO-LOWERCASE-1", "Password must have lowercase characters"],
    ["No-number", "Password must have numeric characters"],
    ["NoSymbol1", "Password must have symbol characters"],
  ] as const) {
    const message = `Password did not conform with policy: ${problem}`;
    await expect(library.choose(weak)).rejects.toMatchObject({ name: "InvalidPasswordException", message });
  }
  expect(subOf(await library.choose("Chosen-password-1"))).toBe(newcomer.sub);

  expect(await withPassword(provider, newcomer.email, newcomer.password)).toMatchObject({
    message: "Incorrect username or password.",
  });
  const again = await withPassword(provider, newcomer.email, "Chosen-password-1");
  expect(again).toEqual({ AuthenticationResult: expect.anything(), ChallengeParameters: {} });
});

test("the authenticator app's code is that of RFC 6238", () => {
  // Appendix B: the last six digits of those for SHA-1.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const codes = [59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000].map((seconds) =>
    codeOf(secret, stepAt(seconds * 1000)),
  );
  expect(codes).toEqual(["287082", "081804", "050471", "005924", "279037", "353130"]);
});

test("whoever has an authenticator app enters its code, each only once", async () => {
  const provider = await start();
  const { code, pass } = provider;
  const library = inLibrary(provider, provider.clients.browser, careful.email);
  expect(await library.signIn(careful.password)).toBe("SOFTWARE_TOKEN_MFA");
  const used = code();
  const wrong = used.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
  await expect(library.enter(wrong)).rejects.toMatchObject({
    name: "CodeMismatchException",
    message: "Invalid code received for user",
  });
  expect(subOf(await library.enter(used))).toBe(careful.sub);

  expect(await library.signIn(careful.password)).toBe("SOFTWARE_TOKEN_MFA");
  await expect(library.enter(used)).rejects.toMatchObject({
    name: "ExpiredCodeException",
    message: "Your software token has already been used once.",
  });
  pass(30);
  expect(subOf(await library.enter(code()))).toBe(careful.sub);
});

test("a session belongs to one client, person and challenge, is used once, and expires", async () => {
  const provider = await start();
  const { code, pass, clients } = provider;
  const begin = async () => {
    const answer = await withPassword(provider, careful.email, careful.password);
    expect(answer).toEqual({
      ChallengeName: "SOFTWARE_TOKEN_MFA",
      ChallengeParameters: { USER_ID_FOR_SRP: careful.sub },
      Session: expect.stringMatching(/^.{20,}$/),
    });
    return answer.Session;
  };
  const Session = await begin();
  const answer = (changed: object, responses: object = {}) =>
    ask(provider, "RespondToAuthChallenge", {
      ClientId: clients.scripts.id,
      ChallengeName: "SOFTWARE_TOKEN_MFA",
      Session,
      ChallengeResponses: {
        USERNAME: careful.email,
        SOFTWARE_TOKEN_MFA_CODE: code(),
        NEW_PASSWORD: "Stolen-password-1",
        ...responses,
      },
      ...changed,
    });
  const invalid = { __type: "NotAuthorizedException", message: "Invalid session for the user." };
  expect(await answer({ ClientId: clients.browser.id })).toEqual(invalid);
  expect(await answer({}, { USERNAME: ready.email })).toEqual(invalid);
  expect(await answer({}, { USERNAME: NOBODY })).toEqual(invalid);
  expect(await answer({ ChallengeName: "NEW_PASSWORD_REQUIRED" })).toEqual(invalid);
  expect(await answer({ Session: "made up" })).toEqual(invalid);
  expect(await answer({ Session: undefined })).toMatchObject({
    message: "Missing required parameter Session",
  });
  expect(tokensIn(await answer({}))).toHaveProperty("RefreshToken");
  pass(30);
  expect(await answer({})).toEqual(invalid);
  const late = await begin();
  pass(180);
  expect(await answer({ Session: late })).toEqual(invalid);
});

test("refresh tokens: only of the same client, kept or replaced as the client is registered, and revoked", async () => {
  const provider = await start();
  const { clients, pass } = provider;
  const { browser, commandLine, scripts } = clients;
  const enter = async (client: AppClient) => {
    const session = await inLibrary(provider, client, ready.email).signIn(ready.password);
    return typeof session === "string" ? expect.unreachable(session) : session.getRefreshToken().getToken();
  };
  const get = (client: AppClient, RefreshToken = "") =>
    ask(provider, "GetTokensFromRefreshToken", { ClientId: client.id, RefreshToken });
  const refresh = (client: AppClient, REFRESH_TOKEN: string) =>
    initiate(provider, client, "REFRESH_TOKEN_AUTH", { REFRESH_TOKEN });
  const user = (AccessToken: string) => ask(provider, "GetUser", { AccessToken });
  const revoke = (client: AppClient, Token: string) =>
    ask(provider, "RevokeToken", { ClientId: client.id, Token });
  const invalid = { __type: "NotAuthorizedException", message: "Invalid Refresh Token" };
  const revoked = { __type: "NotAuthorizedException", message: "Refresh Token has been revoked" };

  const kept = await enter(commandLine);
  for (const renew of [get, refresh]) {
    const tokens = tokensIn(await renew(commandLine, kept));
    expect(tokens).not.toHaveProperty("RefreshToken");
    expect(await user(tokens.AccessToken)).not.toHaveProperty("__type");
    expect(await user(tokens.IdToken)).toMatchObject({ message: "Invalid Access Token" });
    expect(await renew(scripts, kept)).toEqual(invalid);
    expect(await renew(commandLine, "made up")).toEqual(invalid);
  }
  expect(await revoke(scripts, kept)).toMatchObject({ __type: "UnauthorizedException" });
  const { AccessToken } = tokensIn(await refresh(commandLine, kept));
  expect(await revoke(commandLine, AccessToken)).toMatchObject({ __type: "UnsupportedTokenTypeException" });
  expect(await revoke(commandLine, "made up")).toEqual({});
  expect(await revoke(commandLine, kept)).toEqual({});
  expect(await revoke(commandLine, kept)).toEqual({});
  expect(await get(commandLine, kept)).toEqual(revoked);
  expect(await refresh(commandLine, kept)).toEqual(revoked);
  expect(await user(AccessToken)).toMatchObject({ message: "Access Token has been revoked" });

  const first = await enter(browser);
  const { RefreshToken: second } = tokensIn(await get(browser, first));
  expect(second).not.toBe(first);
  // The client may not have got it.
  pass(9);
  expect(tokensIn(await get(browser, first))).toHaveProperty("RefreshToken");
  pass(1);
  expect(await get(browser, first)).toMatchObject({ __type: "RefreshTokenReuseException" });
  const { RefreshToken: third = "" } = tokensIn(await get(browser, second));
  await revoke(browser, third);
  expect(await get(browser, second)).toEqual(revoked);

  const [here, there] = [await enter(browser), await enter(commandLine)];
  const others = await withPassword(provider, newcomer.email, newcomer.password);
  const signedIn = tokensIn(await get(commandLine, there));
  expect(await ask(provider, "GlobalSignOut", { AccessToken: signedIn.AccessToken })).toEqual({});
  expect(await get(browser, here)).toEqual(revoked);
  expect(await get(commandLine, there)).toEqual(revoked);
  expect(await ask(provider, "GlobalSignOut", { AccessToken: signedIn.AccessToken })).toMatchObject({
    message: "Access Token has been revoked",
  });
  expect(others.ChallengeName).toBe("NEW_PASSWORD_REQUIRED");
});

test("who has forgotten the password chooses another one with a code, and nobody learns who exists", async () => {
  const sent = new Map<string, string>();
  const provider = await start({ onResetCode: (email, code) => void sent.set(email, code) });
  const { browser } = provider.clients;
  const forget = (Username: string) => ask(provider, "ForgotPassword", { ClientId: browser.id, Username });
  const confirm = (Username: string, ConfirmationCode: string, Password = "Another-password-1") =>
    ask(provider, "ConfirmForgotPassword", { ClientId: browser.id, Username, ConfirmationCode, Password });
  const mismatch = {
    __type: "CodeMismatchException",
    message: "Invalid verification code provided, please try again.",
  };
  expect(await forget(ready.email)).toEqual(await forget("d@p"));
  expect([...sent.keys()]).toEqual([ready.email]);
  const code = sent.get(ready.email) ?? "";
  const wrong = code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
  expect(await confirm(ready.email, wrong)).toEqual(mismatch);
  expect(await confirm(NOBODY, code)).toEqual(mismatch);
  expect(await confirm(ready.email, code, "short")).toMatchObject({ __type: "InvalidPasswordException" });
  expect(await confirm(ready.email, code)).toEqual({});
  expect(await confirm(ready.email, code)).toMatchObject({ __type: "ExpiredCodeException" });
  tokensIn(await withPassword(provider, ready.email, "Another-password-1"));
  expect(await forget(newcomer.email)).toMatchObject({
    message: "User password cannot be reset in the current state.",
  });
});

test("what is not understood is refused as Cognito does, and an app in a browser may ask", async () => {
  const provider = await start();
  expect(await ask(provider, "SignUp", {})).toMatchObject({ __type: "UnknownOperationException" });
  expect(await ask(provider, "InitiateAuth", "{")).toMatchObject({ __type: "SerializationException" });
  expect(await ask(provider, "InitiateAuth", {})).toEqual({
    __type: "InvalidParameterException",
    message: "Missing required parameter ClientId",
  });
  const { headers, status } = await fetch(provider.url, {
    method: "OPTIONS",
    headers: { "access-control-request-headers": "content-type,x-amz-target" },
  });
  expect([status, headers.get("access-control-allow-headers")]).toEqual([204, "content-type,x-amz-target"]);
  expect(headers.get("access-control-allow-origin")).toBe("*");
});

/** Enters these into the hosted page, one after the other. The result is where it sends the browser, or what it shows. */
const enterInto = async (address: URL, ...answers: readonly Readonly<Record<string, string>>[]) => {
  let shown = await fetch(address, { redirect: "manual" });
  for (const answer of answers) {
    if (shown.status !== 200) break;
    const html = await shown.text();
    const hidden = [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const body = new URLSearchParams({
      ...Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])),
      ...answer,
    });
    shown = await fetch(address, { method: "POST", body, redirect: "manual" });
  }
  const location = shown.headers.get("location");
  return location === null ? await shown.text() : new URL(location);
};

test("an OpenID Connect library finds all by discovery, and signs each person in on the hosted page", async () => {
  const provider = await start();
  const { clients, code } = provider;
  for (const { client, person, more, replaced } of [
    { client: clients.commandLine, person: ready, more: [], replaced: false },
    { client: clients.browser, person: newcomer, more: ["Chosen-password-1"], replaced: true },
    { client: clients.browser, person: careful, more: [code()], replaced: true },
  ]) {
    const { callbacks } = client;
    const configuration = await oidc.discovery(new URL(provider.issuer), client.id, undefined, oidc.None(), {
      execute: [oidc.allowInsecureRequests],
    });
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const address = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: callbacks[0] ?? "",
      scope: "openid email",
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const { email: username, password: secret } = person;
    expect(await enterInto(address, { username, password: "wrong" })).toContain(
      "Incorrect username or password.",
    );
    const callback = await enterInto(
      address,
      { username, password: secret },
      ...more.map((answer) => ({ answer })),
    );
    if (typeof callback === "string") expect.unreachable(callback);
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
    const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
      ...checks,
      idTokenExpected: true,
    });
    expect(tokens.claims()).toMatchObject({
      sub: person.sub,
      email: person.email,
      aud: client.id,
      token_use: "id",
    });
    await expect(oidc.authorizationCodeGrant(configuration, callback, checks)).rejects.toMatchObject({
      error: "invalid_grant",
    });
    expect(await oidc.fetchUserInfo(configuration, tokens.access_token, person.sub)).toMatchObject({
      email: person.email,
    });
    const renewed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
    expect(renewed.refresh_token !== undefined).toBe(replaced);
    await oidc.tokenRevocation(configuration, renewed.refresh_token ?? tokens.refresh_token ?? "");
    await expect(oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  }
});

test("the hosted page sends nobody to an address that is not registered, and gives a code only for what was asked", async () => {
  const quoting = { ...careful, email: '"><script>@postern.example' };
  const provider = await start({ people: [ready, quoting] });
  const { commandLine, scripts } = provider.clients;
  const [callback = ""] = commandLine.callbacks;
  const verifier = oidc.randomPKCECodeVerifier();
  const asked = {
    client_id: commandLine.id,
    redirect_uri: callback,
    response_type: "code",
    scope: "openid",
    state: '"><script>',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  const address = (changed: Readonly<Record<string, string>>) =>
    new URL(`${provider.url}/oauth2/authorize?${new URLSearchParams({ ...asked, ...changed })}`);
  const entered = { username: ready.email, password: ready.password };
  for (const changed of [
    { redirect_uri: `${callback}/` },
    { redirect_uri: callback.replace("8976", "8979") },
    { redirect_uri: "https://evil.example" },
    { client_id: "another" },
    { client_id: scripts.id },
  ]) {
    expect(await enterInto(address(changed), entered)).toContain("redirect_mismatch");
  }
  for (const [changed, error] of [
    [{ code_challenge: "short" }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ response_type: "token" }, "invalid_request"],
    [{ scope: "email" }, "invalid_scope"],
    [{ scope: "openid admin" }, "invalid_scope"],
  ] as const) {
    const url = await enterInto(address(changed), entered);
    if (typeof url === "string") expect.unreachable(url);
    expect(Object.fromEntries(url.searchParams)).toEqual({ error, state: asked.state });
  }
  const quoted = await enterInto(address({}), { username: quoting.email, password: quoting.password });
  expect(quoted).toContain("authenticator app");
  expect(quoted).not.toContain("<script>");

  const code = async () => {
    const url = await enterInto(address({}), entered);
    return typeof url === "string" ? expect.unreachable(url) : (url.searchParams.get("code") ?? "");
  };
  const exchange = async (changed: Readonly<Record<string, string>>) => {
    const grant = {
      grant_type: "authorization_code",
      client_id: commandLine.id,
      redirect_uri: callback,
      code: await code(),
      code_verifier: verifier,
    };
    const body = new URLSearchParams({ ...grant, ...changed });
    return (await fetch(`${provider.url}/oauth2/token`, { method: "POST", body })).json();
  };
  expect(await exchange({})).toMatchObject({ token_type: "Bearer", expires_in: 3600 });
  for (const changed of [
    { code_verifier: oidc.randomPKCECodeVerifier() },
    { redirect_uri: commandLine.callbacks[1] ?? "" },
    { client_id: scripts.id },
    { code: "made up" },
  ]) {
    expect(await exchange(changed)).toEqual({ error: "invalid_grant" });
  }
  expect(await exchange({ client_id: "another" })).toEqual({ error: "invalid_client" });
  expect(await exchange({ grant_type: "password" })).toEqual({ error: "invalid_request" });
});
