import { cut, refuse, startFakeSes } from "@postern/test-support/fake-ses";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { newSqliteFile, startPatient } from "./support/doctor.ts";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { runHere } from "./support/run-here.ts";
import { startServerProcess } from "./support/server-process.ts";

/* A server and commands that send verification mail through SES. */

const PRIVATE_KEY = "private-aws-key";

const startSes = async (state: Parameters<typeof startFakeSes>[0] = {}) => {
  const ses = await startFakeSes(state);
  onTestFinished(ses.close);
  const variables = {
    POSTERN_SMTP_URL: "ses://eu-west-1?configuration-set=postern",
    AWS_ENDPOINT_URL_SESV2: ses.endpoint,
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: PRIVATE_KEY,
  };
  return { ...ses, variables };
};

const Line = z.looseObject({ msg: z.string() });
const Added = z.looseObject({
  recipient_id: z.string(),
  verification_mail: z.string(),
  verification_note: z.string().nullable(),
});

const UNCONFIRMED = expect.stringMatching(/^No mail server has confirmed that it accepts/);

test("verification mail is sent, and if SES refuses it, the log has the cause, and no address", async () => {
  const { variables, messages, answerWith } = await startSes();
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const all = {
    ...environment,
    ...variables,
    POSTERN_STORE: "sqlite",
    POSTERN_SQLITE_PATH: newSqliteFile(),
    POSTERN_ISSUER: provider.issuer,
    POSTERN_SERVICE_NAME: "Posthorn",
  };
  const server = await startServerProcess(all);
  onTestFinished(async () => void (await server.stop()));
  const add = async (recipient_email: string) => {
    const response = await fetch(`${server.url}/recipients`, {
      method: "POST",
      headers: { authorization: `Bearer ${provider.tokenOf("ada")}`, "content-type": "application/json" },
      body: JSON.stringify({ recipient_email }),
    });
    return Added.parse(await response.json());
  };

  expect(await add("ada@example.com")).toMatchObject({
    verification_mail: "sent",
    verification_note: null,
  });
  expect(messages).toMatchObject([
    {
      from: '"Posthorn" <postern@postern.test>',
      to: ["ada@example.com"],
      configurationSet: "postern",
      tags: { "postern-verification": expect.any(String) },
      raw: expect.stringContaining('From: "Posthorn" <postern@postern.test>\r\n'),
    },
  ]);

  answerWith(refuse(400, "SendingPausedException", "not to bob@example.com"), cut);
  const unsent = await add("bob@example.com");
  expect(unsent).toMatchObject({
    verification_mail: "not_sent",
    verification_note: expect.stringMatching(
      /sends nothing for it at the moment\. The address is not to blame/,
    ),
  });
  expect(await add("eve@example.com")).toMatchObject({
    verification_mail: "not_sent",
    verification_note: UNCONFIRMED,
  });
  const resent = await runHere(all, "recipient", "resend", "ada", unsent.recipient_id);
  expect(resent).toMatchObject({ status: 1, errors: expect.stringContaining("(ses ECONNRESET)") });

  const output = await server.stop();
  const lines = output
    .trim()
    .split("\n")
    .map((line) => Line.parse(JSON.parse(line)));
  for (const [result, cause] of [
    ["not_sent", "ses SendingPausedException"],
    ["unknown", "ses ECONNRESET"],
  ]) {
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "verification message failed", result, cause }),
    );
  }
  for (const text of [output, resent.output, resent.errors]) {
    expect(text).not.toMatch(/@example\.com/);
    expect(text).not.toContain(PRIVATE_KEY);
  }
});

describe("doctor", () => {
  let patient: Awaited<ReturnType<typeof startPatient>>;
  beforeAll(async () => {
    patient = await startPatient();
    // Loads everything, which on a busy machine can take longer than a check waits for others.
    await patient.examine({});
  });
  afterAll(() => patient.stop());

  const examine = async (variables: Record<string, string>) => {
    const { of } = await patient.examine({ POSTERN_SQLITE_PATH: newSqliteFile(), ...variables });
    expect(of("smtp-tls")).toMatchObject({ status: "ok" });
    expect(of("dns-sender").found).toBe("postern.test has DMARC");
    const { status, found, action } = of("smtp");
    expect(`${found} ${action}`).not.toContain(PRIVATE_KEY);
    return { status, found: action === null ? found : `${found}. ${action}` };
  };

  const account = { EnforcementStatus: "HEALTHY", ProductionAccessEnabled: true, SendingEnabled: true };
  const quotaUsed = { SendQuota: { Max24HourSend: 200, MaxSendRate: 1, SentLast24Hours: 200 } };
  const identity = {
    VerifiedForSendingStatus: true,
    DkimAttributes: { SigningEnabled: true, Status: "SUCCESS" },
  };
  const healthy = {
    account,
    identities: { "postern.test": identity },
    configurationSets: { postern: {} },
  };
  const mailFrom = { MailFromDomainStatus: "FAILED", BehaviorOnMxFailure: "REJECT_MESSAGE" };

  test.each<[string, Partial<typeof healthy>, RegExp]>([
    ["ok", {}, /^SES in eu-west-1 sends mail of postern\.test, and signs it; no message was sent$/],
    ["warning", { account: { ...account, ProductionAccessEnabled: false } }, /sandbox.*production access/],
    ["warning", { account: { ...account, EnforcementStatus: "PROBATION" } }, /reviewing/],
    ["wrong", { account: { ...account, EnforcementStatus: "SHUTDOWN" } }, /paused for the account/],
    ["wrong", { account: { ...account, SendingEnabled: false } }, /paused for the account/],
    ["wrong", { account: { ...account, ...quotaUsed } }, /as much as it may in 24 hours.*higher quota/],
    ["wrong", { identities: {} as never }, /no identity for POSTERN_MAIL_FROM/],
    [
      "wrong",
      { identities: { "postern.test": { ...identity, VerifiedForSendingStatus: false } } },
      /is not verified, so nothing/,
    ],
    [
      "wrong",
      { identities: { "postern.test": { ...identity, MailFromAttributes: mailFrom } as typeof identity } },
      /MAIL FROM domain.*MX and SPF/,
    ],
    [
      "warning",
      {
        identities: {
          "postern.test": { ...identity, DkimAttributes: { SigningEnabled: true, Status: "PENDING" } },
        },
      },
      /does not sign.*DKIM/,
    ],
    ["wrong", { configurationSets: {} as never }, /no configuration set postern/],
    [
      "wrong",
      { configurationSets: { postern: { SendingOptions: { SendingEnabled: false } } } },
      /paused for the configuration set postern/,
    ],
  ])("%s: %o", async (status, changed, found) => {
    const { variables, messages } = await startSes({ ...healthy, ...changed });
    expect(await examine(variables)).toEqual({ status, found: expect.stringMatching(found) });
    expect(messages).toEqual([]);
  });

  test.each([
    ["warning", "AccessDeniedException", /could not be checked.*Allow ses:GetAccount/],
    ["wrong", "UnrecognizedClientException", /cannot be asked.*Correct the credentials/],
    ["warning", "InternalFailure", /cannot be asked.*Try again/],
  ])("%s: SES says %s", async (status, name, found) => {
    const { variables, answerQuestionsWith } = await startSes(healthy);
    answerQuestionsWith(refuse(403, name, "postern@postern.test"));
    expect(await examine(variables)).toEqual({ status, found: expect.stringMatching(found) });
  });

  test("SES is not taken for a relay", async () => {
    const { variables } = await startSes(healthy);
    const { of } = await patient.examine({
      ...variables,
      POSTERN_SQLITE_PATH: newSqliteFile(),
      POSTERN_MX_PORT: "25",
      POSTERN_MX_NAME: "mx.postern.test",
      POSTERN_DKIM_KEY: "/nowhere/dkim.pem",
      POSTERN_DKIM_SELECTOR: "postern",
    });
    const found = expect.stringMatching(/POSTERN_RELAY_URL is required, because SES/);
    for (const check of ["configuration", "relay", "relay-tls", "bounces", "dns-spf"])
      expect(of(check)).toMatchObject({ found });
    expect(of("smtp")).toMatchObject({ status: "ok" });
  });

  test("wrong: nothing listens", async () => {
    const { variables, close } = await startSes();
    close();
    expect(await examine(variables)).toEqual({
      status: "wrong",
      found: expect.stringMatching(/ECONNREFUSED.*email\.eu-west-1\.amazonaws\.com/),
    });
  });
});
