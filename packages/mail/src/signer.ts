import type { Domain, PortResult } from "@postern/core";
import type { MailBody } from "./message/mail-body.ts";
import type { Authentication } from "./message/message.ts";

/** A message as it is sent: its header, in the form of `ReceivedMessage.header`, and its body. */
export type SentMail = { readonly header: string; readonly body: MailBody };

/** Signs messages for the alias domains. */
export type MailSigner = {
  /**
   * The message with its signatures in front of the header. Parts of the body may be encoded in another way than before, so that no relay
   * has to do it after signing: their content is the same octets. The body is valid as long as the given one. Fails with `unavailable`
   * rather than return an invalid signature.
   */
  sign(
    mail: SentMail & {
      /** The domain that signs. */
      readonly domain: Domain;
      /** The results of authentication on arrival, for an ARC set; null for messages that did not arrive. */
      readonly authentication: Authentication | null;
    },
  ): PortResult<SentMail>;
};
