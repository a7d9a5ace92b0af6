import type { EmailAddress, PortResult } from "@postern/core";

/** Writes verification messages. */
export type VerificationWriter = {
  /** The message to this mailbox with the link of `token`: its header in the form of `ReceivedMessage.header`, and its body. */
  write(message: {
    readonly to: EmailAddress;
    readonly token: string;
  }): PortResult<{ readonly header: string; readonly body: Uint8Array }>;
};
