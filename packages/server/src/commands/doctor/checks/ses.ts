import type { SesAccount, SesIdentity } from "@postern/adapter-ses";
import { type Cause, EmailAddress, type Result } from "@postern/core";
import { ENV } from "../../../configuration/names.ts";
import type { SesUrl } from "../../../configuration/ses-url.ts";
import { type Found, fine, together, warning, wrong } from "../check.ts";

const CREDENTIALS = /Credentials|Token|Signature|UnrecognizedClient|RequestExpired/;
const NETWORK = /^(?:E[A-Z_]+|connect: .*|no response .*)$/;

/** Why SES does not say something. */
const untold = (what: string, right: string, { reason }: Cause, { region }: SesUrl): Found => {
  if (/^AccessDenied/.test(reason)) {
    return warning(
      `${what} could not be checked (${reason})`,
      `Allow ${right}, if doctor is to check that too: to send mail, the server does not need it`,
    );
  }
  const failed = `SES in ${region} cannot be asked (${reason})`;
  if (CREDENTIALS.test(reason)) {
    return wrong(
      failed,
      "Correct the credentials for AWS in the environment, the profile or the role of this machine, and its clock",
    );
  }
  return NETWORK.test(reason)
    ? wrong(
        failed,
        `Check the region in ${ENV.smtpUrl}, and that this machine reaches email.${region}.amazonaws.com on port 443`,
      )
    : warning(failed, "Try again");
};

const accountFound = (account: SesAccount, { region }: SesUrl): Found => {
  const { inSandbox, paused, quotaUsed, underReview } = account;
  if (paused) {
    return wrong(
      `SES sends nothing in ${region}: sending is paused for the account`,
      "Read on the account dashboard of SES why, and have sending resumed",
    );
  }
  if (quotaUsed) {
    return wrong(
      `SES sends nothing in ${region}: the account has sent as much as it may in 24 hours`,
      "Wait, and request a higher quota on the account dashboard of SES",
    );
  }
  if (underReview) {
    return warning(
      `SES is reviewing the account in ${region}, and may pause sending`,
      "Read on the account dashboard of SES what to correct",
    );
  }
  return inSandbox
    ? warning(
        `the account is in the sandbox of SES in ${region}: only addresses and domains that are verified there get mail`,
        "Request production access on the account dashboard of SES",
      )
    : fine("the account may send");
};

const identityFound = (identity: SesIdentity | null, domain: string, { region }: SesUrl): Found => {
  if (identity === null) {
    return wrong(
      `SES in ${region} has no identity for ${ENV.mailFrom}, so nothing can be sent`,
      `Create an identity for ${domain} there, and publish the records that it shows`,
    );
  }
  if (!identity.verified) {
    return wrong(
      `the identity of ${ENV.mailFrom} in SES is not verified, so nothing can be sent`,
      `Publish the records that SES in ${region} shows for it`,
    );
  }
  if (identity.lacksMailFrom) {
    return wrong(
      `the MAIL FROM domain of the identity of ${ENV.mailFrom} is not verified, so nothing can be sent`,
      "Publish the MX and SPF records that SES shows for it, or let SES use its default MAIL FROM domain",
    );
  }
  return identity.signed
    ? fine(`signs mail of ${domain}`)
    : warning(
        `SES does not sign mail of ${domain} with DKIM: it can be refused or filed as spam`,
        "Turn on DKIM for the identity in SES, and publish the records that it shows",
      );
};

const setFound = (set: { readonly paused: boolean } | null, { region, configurationSet }: SesUrl): Found => {
  if (set === null) {
    return wrong(
      `SES in ${region} has no configuration set ${configurationSet}, so nothing can be sent`,
      `Create it there, or correct ${ENV.smtpUrl}`,
    );
  }
  return set.paused
    ? wrong(
        `sending is paused for the configuration set ${configurationSet}`,
        "Turn on sending for it in SES",
      )
    : fine(`with the configuration set ${configurationSet}`);
};

/** Whether SES would send verification messages. Sends none. */
export const sesFound = async (ses: SesUrl, from: EmailAddress, timeoutMs: number): Promise<Found> => {
  const { checkSes } = await import("@postern/adapter-ses");
  const { account, identity, configurationSet } = await checkSes({ ...ses, from }, timeoutMs);
  const domain = EmailAddress.domain(from);
  const told = <T>(
    asked: Result<T, Cause>,
    [what, right]: readonly [string, string],
    found: (said: T) => Found,
  ): Found => asked.match(found, (cause) => untold(what, right, cause, ses));
  const all = together(
    told(account, ["the account at SES", "ses:GetAccount"], (said) => accountFound(said, ses)),
    told(identity, ["the sender's identity at SES", "ses:GetEmailIdentity"], (said) =>
      identityFound(said, domain, ses),
    ),
    ...(configurationSet === undefined
      ? []
      : [
          told(configurationSet, ["the configuration set at SES", "ses:GetConfigurationSet"], (said) =>
            setFound(said, ses),
          ),
        ]),
  );
  return all.status === "ok"
    ? fine(`SES in ${ses.region} sends mail of ${domain}, and signs it; no message was sent`)
    : all;
};
