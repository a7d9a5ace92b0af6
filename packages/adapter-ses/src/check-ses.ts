import {
  type BehaviorOnMxFailure,
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  NotFoundException,
} from "@aws-sdk/client-sesv2";
import { type Cause, EmailAddress, err, ok, parseEmailAddress, type Result } from "@postern/core";
import { configured } from "@postern/core/operations";
import { isPaused, isQuotaUsed } from "./account.ts";
import { beforeDeadline } from "./before-deadline.ts";
import { because, reasonOf } from "./cause.ts";
import { type SesLocation, sesClient } from "./ses-client.ts";
import type { SesMailSettings } from "./ses-mail.ts";

/** The account at SES, in the region. */
export type SesAccount = {
  /** Whether it sends only to addresses and domains that are verified in it. */
  readonly inSandbox: boolean;
  /** Whether SES, or its owner, has switched sending off. */
  readonly paused: boolean;
  /** Whether it has sent as much as it may in 24 hours. */
  readonly quotaUsed: boolean;
  /** Whether SES is reviewing the account because of what it has sent, and may pause it. */
  readonly underReview: boolean;
};

/** What SES knows the sender as: its address, its domain, or a domain above that. */
export type SesIdentity = {
  readonly verified: boolean;
  /** Whether SES signs its messages with DKIM. */
  readonly signed: boolean;
  /** Whether nothing is sent because the records of its MAIL FROM domain are missing. */
  readonly lacksMailFrom: boolean;
};

/** Why each of them cannot be told is an error of SES, or of the network. */
export type SesCheck = {
  readonly account: Result<SesAccount, Cause>;
  /** Null if there is none, so that nothing can be sent. */
  readonly identity: Result<SesIdentity | null, Cause>;
  /** Null if there is no configuration set of this name; undefined if none is to be used. */
  readonly configurationSet: Result<{ readonly paused: boolean } | null, Cause> | undefined;
};

/** As often as the SDK tries by default: SES allows one request of each kind a second. */
const ATTEMPTS = 3;

const REJECTS: BehaviorOnMxFailure = "REJECT_MESSAGE";

/** The identities by which SES can know the sender, the most specific first. */
const identitiesOf = (from: EmailAddress): readonly string[] => {
  const labels = EmailAddress.domain(from).split(".");
  return [from, ...labels.slice(0, -1).map((_, index) => labels.slice(index).join("."))];
};

/**
 * Asks SES whether it would send the messages of `sesMail`. Sends nothing. Never rejects; takes at most so many milliseconds.
 *
 * It needs the rights `ses:GetAccount`, `ses:GetEmailIdentity` and, with a configuration set, `ses:GetConfigurationSet`.
 *
 * @throws TypeError if `from` is not an email address
 */
export const checkSes = async (
  { from, configurationSet, ...location }: SesLocation & Pick<SesMailSettings, "from" | "configurationSet">,
  timeoutMs: number,
): Promise<SesCheck> => {
  const sender = configured("from", parseEmailAddress(from));
  const client = sesClient(location, ATTEMPTS);
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { abortSignal: signal };

  /** What SES says; null if there is no such thing. */
  const ask = async <T>(work: () => Promise<T>): Promise<Result<T | null, Cause>> => {
    try {
      return ok(await beforeDeadline(signal, work()));
    } catch (error) {
      if (error instanceof NotFoundException) return ok(null);
      return err(because(signal.aborted ? "no response before the deadline" : reasonOf(error)));
    }
  };

  const account = async (): Promise<SesCheck["account"]> =>
    (await ask(() => client.send(new GetAccountCommand({}), options))).map((said) => ({
      inSandbox: said?.ProductionAccessEnabled !== true,
      paused: isPaused(said ?? {}),
      quotaUsed: isQuotaUsed(said ?? {}),
      underReview: said?.EnforcementStatus === "PROBATION",
    }));

  const identity = async (): Promise<SesCheck["identity"]> => {
    for (const EmailIdentity of identitiesOf(sender)) {
      const asked = await ask(() => client.send(new GetEmailIdentityCommand({ EmailIdentity }), options));
      if (asked.isErr()) return err(asked.error);
      if (asked.value === null) continue;
      const { VerifiedForSendingStatus, DkimAttributes: dkim, MailFromAttributes: mailFrom } = asked.value;
      return ok({
        verified: VerifiedForSendingStatus === true,
        signed: dkim?.SigningEnabled === true && dkim.Status === "SUCCESS",
        lacksMailFrom:
          mailFrom?.BehaviorOnMxFailure === REJECTS && mailFrom.MailFromDomainStatus !== "SUCCESS",
      });
    }
    return ok(null);
  };

  const set = async (ConfigurationSetName: string): Promise<SesCheck["configurationSet"]> =>
    (await ask(() => client.send(new GetConfigurationSetCommand({ ConfigurationSetName }), options))).map(
      (said) => said && { paused: said.SendingOptions?.SendingEnabled === false },
    );

  const [accountSaid, identitySaid, setSaid] = await Promise.all([
    account(),
    identity(),
    configurationSet === undefined ? undefined : set(configurationSet),
  ]);
  return { account: accountSaid, identity: identitySaid, configurationSet: setSaid };
};
