import { EmailAddress } from "@postern/core";
import { type MailPlane, type MailPlanePorts, mailPlane } from "@postern/mail";
import { nodePorts } from "@postern/node";
import type { Configuration } from "../../configuration/configuration.ts";
import type { MailPlaneConfiguration } from "../../configuration/mail-plane.ts";
import { systemCode } from "../../system/system-code.ts";
import type { LogLines } from "../observability/log.ts";
import type { MailMeasurements } from "../observability/mail-metrics.ts";
import { measuredRelay, measuredSigner, measuredSpool } from "../observability/measured-forwarding.ts";
import { pauseLog } from "../observability/pause-log.ts";
import { unreportedLog } from "../observability/unreported-log.ts";

/** The part of the configuration that says what becomes of mail. */
export type PlaneSettings = Pick<
  Configuration,
  | "aliasDomains"
  | "limits"
  | "mailFrom"
  | "service"
  | "language"
  | "webhooks"
  | "linkSecrets"
  | "mailboxSecret"
> & {
  readonly mailPlane: Pick<
    MailPlaneConfiguration,
    "name" | "postmaster" | "inactive" | "dmarc" | "dsn" | "subjects"
  >;
};

/** What the log says if part of the work for a message, such as counting it, could not be done. */
const UNREPORTED = {
  first: "mail only partly processed",
  further: "further mail was only partly processed in the same second",
};

/** The domain of the sender of verification mail, if mail to it is received; otherwise null. */
export const ownSenderDomain = ({
  aliasDomains,
  mailFrom,
}: Pick<PlaneSettings, "aliasDomains" | "mailFrom">) => {
  const domain = EmailAddress.domain(mailFrom);
  return aliasDomains.includes(domain) ? domain : null;
};

/** The mail plane that is configured, on these ports, which are measured. */
export const planeOf = (
  settings: PlaneSettings,
  {
    spool,
    signer,
    relay,
    ...ports
  }: Pick<MailPlanePorts, "store" | "spool" | "signer" | "relay" | "copiesAtOnce" | "onCopyEnded">,
  observers: { readonly metrics: MailMeasurements; readonly logger: LogLines },
): MailPlane => {
  const { aliasDomains, limits, mailFrom, service, language, webhooks, linkSecrets, mailboxSecret } =
    settings;
  const { name, postmaster, inactive, dmarc, dsn, subjects } = settings.mailPlane;
  const { logger } = observers;
  return mailPlane({
    ...ports,
    spool: measuredSpool(spool, observers),
    signer: measuredSigner(signer, observers),
    relay: measuredRelay(relay, observers),
    ...nodePorts({ linkSecrets, mailboxSecret }),
    aliasDomains,
    serverName: name,
    postmaster,
    verificationSender: ownSenderDomain(settings) === null ? undefined : mailFrom,
    inactive,
    dmarc,
    notices: dsn,
    service,
    language,
    subjects,
    webhooks,
    limits,
    onPause: pauseLog(observers),
    onUnreported: unreportedLog(logger, UNREPORTED),
    onDefect: (error) =>
      logger.error({ reason: systemCode(error) }, "unexpected error in the mail plane (a bug)"),
  });
};
