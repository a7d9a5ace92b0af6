import { sesMail } from "@postern/adapter-ses";
import type { VerificationMail } from "@postern/core";
import { nodePorts } from "@postern/node";
import type { FunctionConfiguration } from "./function-configuration.ts";

/* Loaded with the first message: few invocations send one, and the client of SES is a twentieth of the program. */

export const verificationMail = ({
  ses,
  mailFrom: from,
  publicUrl,
  service,
  language,
  linkSecrets,
  mailboxSecret,
}: FunctionConfiguration): VerificationMail =>
  sesMail({
    ...ses,
    from,
    publicUrl,
    service,
    language,
    secrets: nodePorts({ linkSecrets, mailboxSecret }).secrets,
  });
