import { err, ok, type Result } from "@postern/core";
import type { Container } from "inversify";
import type { Configuration } from "../configuration/configuration.ts";
import type { MailPlaneConfiguration } from "../configuration/mail-plane.ts";
import { openMailThread } from "../mail/mail-thread.ts";
import type { CannotOpenMail, OpenedMailPlane } from "../mail/open-mail-plane.ts";
import { tokens } from "./tokens.ts";

/** The part of the server that receives and forwards mail. */
export type OpenedMail = Pick<OpenedMailPlane, "start" | "reload" | "stop">;

/** Opens the mail plane. Verification mail is sent through its spool too, unless the container already has a way to send it. */
export const openMail = async (
  configuration: Configuration,
  mailPlane: MailPlaneConfiguration,
  container: Container,
): Promise<Result<OpenedMail, CannotOpenMail>> => {
  const { mail: metrics } = container.get(tokens.metrics);
  const opened = await openMailThread(
    { ...configuration, mailPlane },
    { store: container.get(tokens.store), logger: container.get(tokens.logger), metrics },
  );
  if (opened.isErr()) return err(opened.error);
  const { size, verificationMail } = opened.value;
  metrics.watchSpool({ size }, mailPlane.spoolLimit);
  if (!container.isBound(tokens.unmeasuredMail)) {
    container.bind(tokens.unmeasuredMail).toConstantValue(verificationMail);
  }
  return ok(opened.value);
};
