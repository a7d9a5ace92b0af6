import type { PortResult } from "../../ports/port-result.ts";
import type { EmailAddress } from "../../values/email-address.ts";

/** Writes verification messages. */
export type VerificationWriter = {
  /** The message to this mailbox with the link of `token`: its header in the form of `ReceivedMessage.header`, and its body. */
  write(message: {
    readonly to: EmailAddress;
    readonly token: string;
  }): PortResult<{ readonly header: string; readonly body: Uint8Array }>;
};
