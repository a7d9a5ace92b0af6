import { err, ok, type Result } from "@postern/core";
import type { Configuration } from "../../configuration/configuration.ts";
import type { MailPlaneConfiguration } from "../../configuration/mail-plane.ts";
import { openMailThread } from "../mail/mail-thread.ts";
import type { CannotOpenMail, OpenedMailPlane } from "../mail/open-mail-plane.ts";
import type { Composition } from "./compose.ts";

/** The part of the server that receives and forwards mail. */
export type OpenedMail = Pick<OpenedMailPlane, "start" | "reload" | "stop">;

/** Opens the mail plane. Verification mail is sent through its spool too, unless it is replaced. */
export const openMail = async (
  configuration: Configuration,
  mailPlane: MailPlaneConfiguration,
  { store, logger, metrics: { mail: metrics }, useSpool }: Composition,
): Promise<Result<OpenedMail, CannotOpenMail>> => {
  const opened = await openMailThread({ ...configuration, mailPlane }, { store, logger, metrics });
  if (opened.isErr()) return err(opened.error);
  const { size, verificationMail } = opened.value;
  metrics.watchSpool({ size }, mailPlane.spoolLimit);
  useSpool(verificationMail);
  return ok(opened.value);
};
