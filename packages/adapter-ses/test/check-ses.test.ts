import { hang, refuse } from "@postern/test-support/fake-ses";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import { expect, test } from "vitest";
import { checkSes } from "../src/index.ts";
import { credentials, startSes } from "./support/use-ses.ts";

const DOMAIN = {
  VerifiedForSendingStatus: true,
  DkimAttributes: { SigningEnabled: true, Status: "SUCCESS" },
};

const check = ({ endpoint }: { readonly endpoint: string }, configurationSet?: string) =>
  checkSes(
    { region: "eu-west-1", credentials, endpoint, from: "postern@mail.alias.example", configurationSet },
    60_000,
  );

test.each<[string, object, object]>([
  ["sends", {}, { inSandbox: false, paused: false, quotaUsed: false, underReview: false }],
  ["is in the sandbox", { ProductionAccessEnabled: false }, { inSandbox: true }],
  ["was paused by its owner", { SendingEnabled: false }, { paused: true }],
  ["was paused by SES", { EnforcementStatus: "SHUTDOWN" }, { paused: true }],
  [
    "has used up its quota",
    { SendQuota: { Max24HourSend: 200, MaxSendRate: 1, SentLast24Hours: 200 } },
    { quotaUsed: true, paused: false },
  ],
  ["is under review", { EnforcementStatus: "PROBATION" }, { underReview: true, paused: false }],
])("says that the account %s", async (_, changed, expected) => {
  const healthy = { EnforcementStatus: "HEALTHY", ProductionAccessEnabled: true, SendingEnabled: true };
  const ses = await startSes({ account: { ...healthy, ...changed } });
  expect((await check(ses)).account).toMatchObject({ value: expected });
});

test.each(["postern@mail.alias.example", "mail.alias.example", "alias.example"])(
  "knows the sender by the identity %s",
  async (name) => {
    const ses = await startSes({ identities: { [name]: DOMAIN } });
    expect((await check(ses)).identity).toMatchObject({
      value: { verified: true, signed: true, lacksMailFrom: false },
    });
  },
);

test("of several identities, the most specific counts", async () => {
  const unverified = { VerifiedForSendingStatus: false };
  const ses = await startSes({ identities: { "mail.alias.example": unverified, "alias.example": DOMAIN } });
  expect((await check(ses)).identity).toMatchObject({ value: { verified: false, signed: false } });
});

test("a domain of its own for bounces that has no records stops messages only if it is to", async () => {
  const withMailFrom = (BehaviorOnMxFailure: string) =>
    startSes({
      identities: {
        "alias.example": {
          ...DOMAIN,
          MailFromAttributes: {
            MailFromDomain: "bounce.alias.example",
            MailFromDomainStatus: "FAILED",
            BehaviorOnMxFailure,
          },
        },
      },
    });
  const rejecting = await check(await withMailFrom("REJECT_MESSAGE"));
  expect(rejecting.identity).toMatchObject({ value: { lacksMailFrom: true } });
  const lenient = await check(await withMailFrom("USE_DEFAULT_VALUE"));
  expect(lenient.identity).toMatchObject({ value: { lacksMailFrom: false } });
});

test("says which things do not exist, and asks for no top-level domain and no set that is not used", async () => {
  const ses = await startSes({
    configurationSets: { paused: { SendingOptions: { SendingEnabled: false } } },
  });
  const found = await check(ses);
  expect(found.identity).toMatchObject({ value: null });
  expect(found.configurationSet).toBeUndefined();
  expect(ses.questions.toSorted()).toEqual([
    "GET /v2/email/account",
    "GET /v2/email/identities/alias.example",
    "GET /v2/email/identities/mail.alias.example",
    "GET /v2/email/identities/postern%40mail.alias.example",
  ]);
  expect((await check(ses, "paused")).configurationSet).toMatchObject({ value: { paused: true } });
  expect((await check(ses, "missing")).configurationSet).toMatchObject({ value: null });
  expect(ses.messages).toEqual([]);
});

test("says why SES does not tell", async () => {
  const ses = await startSes();
  ses.answerQuestionsWith(refuse(403, "AccessDeniedException", "User is not authorized: ada@example.com"));
  const error = { source: "ses", reason: "AccessDeniedException" };
  expect(await check(ses, "postern")).toMatchObject({
    account: { error },
    identity: { error },
    configurationSet: { error },
  });
  ses.answerQuestionsWith(hang);
  const deadlinePasses = holdDeadlines();
  const checking = check(ses);
  await expect.poll(() => ses.questions.length).toBeGreaterThan(3);
  deadlinePasses();
  expect((await checking).account).toMatchObject({ error: { reason: "no response before the deadline" } });
});

test("refuses a sender that is no address", async () => {
  const { endpoint } = await startSes();
  await expect(checkSes({ region: "eu-west-1", endpoint, from: "postern" }, 1)).rejects.toThrow(TypeError);
});
