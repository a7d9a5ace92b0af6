import { newCopyId, newMessageId, parseAccountId, parseDomain, parseRecipientId } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy, type CopyPurpose, type ReceivedMessage } from "@postern/mail";
import { address, FORWARD, receivedMessage } from "./support/mail.ts";

const NOW = 1_700_000_000_000;
const { secrets } = testPorts();

/** A received message of account number `n`. */
export const aMessage = (n: number): ReceivedMessage => {
  const header = `From: Bob <bob@sender.example>\r\nSubject: ${n}\r\n`;
  return receivedMessage({ id: newMessageId(secrets.random), header, size: header.length + 2 });
};

export const NOTICE: CopyPurpose = { kind: "notice", alias: null };
export const VERIFICATION: Extract<CopyPurpose, { kind: "verification" }> = {
  kind: "verification",
  account: valueOf(parseAccountId("verified-account")),
  recipient: valueOf(parseRecipientId("recipient")),
  nonce: "nonce",
  expiresAt: NOW + 24 * 60 * 60_000,
  domain: valueOf(parseDomain("alias.example")),
};
export const POSTMASTER: CopyPurpose = { kind: "postmaster", address: address("abuse@alias.example") };

export const aCopy = (
  message: ReceivedMessage,
  { purpose = FORWARD }: { purpose?: CopyPurpose } = {},
): Copy =>
  Copy.create(
    { id: newCopyId(secrets.random), message: message.id, to: address("me@home.example"), purpose },
    message.createdAt,
  );
