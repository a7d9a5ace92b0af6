import { type SmtpMail, smtpMail } from "@postern/adapter-smtp";
import { nodePorts } from "@postern/node";
import type { MailConfiguration } from "../configuration/configuration.ts";
import { parseSesUrl } from "../configuration/ses-url.ts";

/** What sends verification mail at once. Opens no connection before the first message. The client of SES is loaded only if it is used. */
export const openVerificationMail = async ({
  smtpUrl: url,
  mailFrom: from,
  publicUrl,
  service,
  language,
  linkSecrets,
  mailboxSecret,
}: Pick<
  MailConfiguration,
  "smtpUrl" | "mailFrom" | "publicUrl" | "service" | "language" | "linkSecrets" | "mailboxSecret"
>): Promise<SmtpMail> => {
  const settings = { from, publicUrl, service, language };
  const ses = parseSesUrl(url);
  if (ses === null) return smtpMail({ url, ...settings });
  const { sesMail } = await import("@postern/adapter-ses");
  const { secrets } = nodePorts({ linkSecrets, mailboxSecret });
  return { ...sesMail({ ...ses, ...settings, secrets }), close: () => {} };
};
