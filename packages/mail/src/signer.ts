import type { Domain, PortResult } from "@postern/core";
import type { MailBody } from "./message/mail-body.ts";
import type { Authentication } from "./message/message.ts";

/** Signs messages for the alias domains. */
export type MailSigner = {
  /**
   * The header fields to put before `header`, in the form of a header (CRLF after each). Fails with `unavailable` rather than return an
   * invalid signature.
   */
  sign(mail: {
    /** The domain that signs. */
    readonly domain: Domain;
    readonly header: string;
    readonly body: MailBody;
    /** The results of authentication on arrival, for an ARC set; null for messages that did not arrive. */
    readonly authentication: Authentication | null;
  }): PortResult<string>;
};
