import type { RequestListener, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import { signInWithPassword } from "../src/index.ts";
import { CALLS } from "./support/calls.ts";
import { startHttpServer } from "./support/http-server.ts";

/* Whatever a server does is a value. */

const MEBIBYTE = 1024 ** 2;
const HTML = { "content-type": "text/html" };

/** Sends for as long as somebody reads. */
const sendForever = (response: ServerResponse) => {
  response.writeHead(200);
  const chunks = function* () {
    for (;;) yield " ".repeat(65_536);
  };
  pipeline(Readable.from(chunks()), response, () => {});
};

/** What a server can do wrong, and the reason that it is given. */
const FAULTS: Readonly<Record<string, readonly [RequestListener, string]>> = {
  "a page": [(_, response) => response.writeHead(200, HTML).end("<p>Sign in to the Wi-Fi"), "status 200"],
  "a proxy's error": [(_, response) => response.writeHead(502, HTML).end("<p>Bad gateway"), "status 502"],
  "an error in JSON without a name": [(_, response) => response.writeHead(503).end("{}"), "status 503"],
  "a server's own error": [
    (_, response) => response.writeHead(500).end('{"__type":"InternalErrorException"}'),
    "status 500",
  ],
  "half of an object": [(_, response) => response.writeHead(200).end('{"issuer":'), "status 200"],
  "a redirect": [(_, response) => response.writeHead(307, { location: "/elsewhere" }).end(), "redirect"],
  "a redirect of a GET": [
    (_, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    "redirect",
  ],
  "a body without end": [(_, response) => sendForever(response), "size"],
  "a body that is a byte too long": [
    (_, response) => response.writeHead(200).end(`{}${" ".repeat(MEBIBYTE - 1)}`),
    "size",
  ],
  "a cut body": [
    (_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("{");
      setImmediate(() => response.destroy());
    },
    "network",
  ],
  "no response": [(request) => request.socket.destroy(), "network"],
};

describe.each(Object.entries(CALLS))("%s", (_, call) => {
  test.each(Object.entries(FAULTS))("%s", async (_, [listener, reason]) => {
    const { url, serve } = await startHttpServer();
    const paths: (string | undefined)[] = [];
    serve((request, response) => {
      paths.push(request.url);
      listener(request, response);
    });
    const outcome = await call({ issuer: `${url}/us-east-1_Pool`, clientId: "app" });
    expect(outcome).toEqual({ type: "refused", code: "unreachable", reason });
    expect(paths).not.toContain("/elsewhere");
    expect(paths).toHaveLength(1);
  });

  test("a server that cannot be reached", async () => {
    const outcome = await call({ issuer: "http://127.0.0.1:1/us-east-1_Pool", clientId: "app" });
    expect(outcome).toEqual({ type: "refused", code: "unreachable", reason: "network" });
  });

  test.each([
    ["before the response", false],
    ["in its body", true],
  ])(
    "a server that stops %s is given up after the deadline, or when the caller says so",
    async (_, begins) => {
      const { url, serve } = await startHttpServer();
      const client = { issuer: `${url}/us-east-1_Pool`, clientId: "app" };
      serve((_, response) => void (begins && response.writeHead(200).write("{")));
      expect(await call({ ...client, timeoutMs: 100 })).toEqual({
        type: "refused",
        code: "unreachable",
        reason: "timeout",
      });

      const controller = new AbortController();
      serve((_, response) => {
        if (begins) response.writeHead(200).write("{");
        setImmediate(() => controller.abort());
      });
      const aborted = { type: "refused", code: "aborted", reason: expect.any(String) };
      expect(await call(client, { signal: controller.signal })).toEqual(aborted);
      // It has been aborted before.
      expect(await call(client, { signal: controller.signal })).toEqual(aborted);
    },
  );

  test("nothing is sent in the clear", async () => {
    for (const host of [
      "id.example.com",
      "localhost.example.com",
      "localhost:80@id.example.com",
      "127.0.0.1.example.com",
      "192.168.0.1",
    ]) {
      const send = () => expect.unreachable();
      const outcome = await call({ issuer: `http://${host}/us-east-1_Pool`, clientId: "app", fetch: send });
      expect(outcome).toEqual({ type: "refused", code: "misconfigured", reason: "https" });
    }
  });
});

test("a page without HTTPS has no WebCrypto", async () => {
  const { url } = await startHttpServer();
  const client = { issuer: `${url}/us-east-1_Pool`, clientId: "app" };
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  vi.stubGlobal("crypto", { getRandomValues });
  try {
    for (const name of ["signInWithPassword", "beginCodeFlow"]) {
      expect(await CALLS[name]?.(client)).toEqual({
        type: "refused",
        code: "not_supported",
        reason: "crypto",
      });
    }
  } finally {
    vi.unstubAllGlobals();
  }
});

/** Cognito's errors as it writes them, and what they mean when somebody signs in. */
const ERRORS = [
  ["NotAuthorizedException", "Incorrect username or password.", "wrong_credentials"],
  ["UserNotFoundException", "User does not exist.", "wrong_credentials"],
  ["NotAuthorizedException", "Password attempts exceeded", "too_many_attempts"],
  ["NotAuthorizedException", "User is disabled.", "denied"],
  [
    "NotAuthorizedException",
    "Temporary password has expired and must be reset by an administrator.",
    "temporary_password_expired",
  ],
  [
    "NotAuthorizedException",
    "Client 1 is configured with secret but SECRET_HASH was not received",
    "misconfigured",
  ],
  ["NotAuthorizedException", "Unable to verify secret hash for client 1", "misconfigured"],
  ["InvalidParameterException", "USER_SRP_AUTH is not enabled for the client.", "misconfigured"],
  ["InvalidParameterException", "Missing required parameter USERNAME", "invalid_input"],
  ["PasswordResetRequiredException", "Password reset required for the user", "password_reset_required"],
  ["UserNotConfirmedException", "User is not confirmed.", "not_confirmed"],
  ["TooManyRequestsException", "Too many requests", "too_many_attempts"],
  ["LimitExceededException", "Attempt limit exceeded, please try after some time.", "too_many_attempts"],
  ["TooManyFailedAttemptsException", "Too many failed attempts", "too_many_attempts"],
  ["ThrottlingException", "Rate exceeded", "too_many_attempts"],
  ["UserLambdaValidationException", "PreAuthentication failed with error", "denied"],
  ["ForbiddenException", "Request not allowed due to WAF block.", "denied"],
  ["CodeMismatchException", "Invalid code received for user", "wrong_code"],
  ["EnableSoftwareTokenMFAException", "Code mismatch", "wrong_code"],
  ["ExpiredCodeException", "Invalid code provided, please request a code again.", "expired"],
  ["ExpiredCodeException", "Your software token has already been used once.", "wrong_code"],
  [
    "InvalidPasswordException",
    "Password did not conform with policy: Password not long enough",
    "password_refused",
  ],
  ["PasswordHistoryPolicyViolationException", "Password has previously been used", "password_refused"],
  ["RefreshTokenReuseException", "Refresh token has been rotated", "signed_out"],
  ["ResourceNotFoundException", "User pool client 1 does not exist.", "misconfigured"],
  ["InvalidUserPoolConfigurationException", "", "misconfigured"],
  ["UnknownOperationException", "", "misconfigured"],
] as const;

test.each(ERRORS)("%s (%s) is %s", async (name, message, code) => {
  const { url, serve } = await startHttpServer();
  const client = { issuer: `${url}/us-east-1_Pool`, clientId: "app" };
  for (const prefix of ["", "com.amazonaws.cognito#"]) {
    serve((_, response) => {
      response.writeHead(400, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify({ __type: `${prefix}${name}`, message }));
    });
    const outcome = await signInWithPassword(client, { username: "ada", password: "secret" });
    expect(outcome).toEqual({ type: "refused", code, reason: name });
  }
});

test("the reason contains no text of the server", async () => {
  const { url, serve } = await startHttpServer();
  serve((_, response) =>
    response
      .writeHead(400)
      .end(JSON.stringify({ __type: `ada@example.com ${"x".repeat(200)}`, message: "secret" })),
  );
  const outcome = await CALLS["forgotPassword"]?.({ issuer: `${url}/us-east-1_Pool`, clientId: "app" });
  expect(outcome).toEqual({ type: "refused", code: "misconfigured", reason: "x".repeat(80) });
});

test("a challenge that this package does not know is named; a malformed one is refused", async () => {
  const { url, serve } = await startHttpServer();
  const client = { issuer: `${url}/us-east-1_Pool`, clientId: "app" };
  const signIn = (body: object) => {
    serve((_, response) => response.writeHead(200).end(JSON.stringify(body)));
    return signInWithPassword(client, { username: "ada", password: "secret" });
  };
  for (const name of [
    "SMS_MFA",
    "EMAIL_OTP",
    "SELECT_MFA_TYPE",
    "MFA_SETUP",
    "DEVICE_SRP_AUTH",
    "CUSTOM_CHALLENGE",
    "NEW_IN_2030",
  ]) {
    const ChallengeParameters = { USER_ID_FOR_SRP: "id" };
    expect(await signIn({ ChallengeName: name, Session: "s", ChallengeParameters })).toEqual({
      type: "otherChallenge",
      name,
    });
  }
  expect(
    await signIn({
      ChallengeName: "NEW_PASSWORD_REQUIRED",
      Session: "s",
      ChallengeParameters: { requiredAttributes: '["userAttributes.name","userAttributes.custom:team"]' },
    }),
  ).toEqual({
    type: "newPassword",
    username: "ada",
    session: "s",
    requiredAttributes: ["userAttributes.name", "userAttributes.custom:team"],
  });
  const question = { SALT: "a", SRP_B: "b", SECRET_BLOCK: "YQ==", USER_ID_FOR_SRP: "id" };
  for (const wrong of [
    { SALT: "" },
    { SALT: "x" },
    { SRP_B: "" },
    { SRP_B: "-5" },
    { SECRET_BLOCK: "%" },
    { SALT: 5 },
  ]) {
    const ChallengeParameters = { ...question, ...wrong };
    expect(await signIn({ ChallengeName: "PASSWORD_VERIFIER", ChallengeParameters })).toMatchObject({
      type: "refused",
      code: "unreachable",
    });
  }
  for (const SRP_B of ["0", "00"]) {
    const ChallengeParameters = { ...question, SRP_B };
    expect(await signIn({ ChallengeName: "PASSWORD_VERIFIER", ChallengeParameters })).toEqual({
      type: "refused",
      code: "untrusted",
      reason: "SRP_B",
    });
  }
  for (const body of [
    {},
    { AuthenticationResult: null },
    { AuthenticationResult: [] },
    [],
    { ChallengeName: 5 },
  ]) {
    expect(await signIn(body)).toMatchObject({ type: "refused", code: "unreachable" });
  }
});
