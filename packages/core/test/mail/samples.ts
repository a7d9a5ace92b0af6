import {
  parseAccountId,
  parseAliasId,
  parseDomain,
  parseEmailAddress,
  parseRecipientId,
} from "@postern/core";
import { Copy, type CopyPurpose, newCopyId, newMessageId, type ReceivedMessage } from "@postern/core/mail";
import { testPorts, valueOf } from "@postern/core/testing";

const NOW = 1_700_000_000_000;
const { secrets } = testPorts();
const address = (text: string) => valueOf(parseEmailAddress(text));

/** A received message of account number `n`. */
export const aMessage = (n: number): ReceivedMessage => {
  const header = `From: Bob <bob@sender.example>\r\nSubject: ${n}\r\n`;
  return {
    origin: "received",
    id: newMessageId(secrets.random),
    createdAt: NOW,
    returnPath: "bob@sender.example",
    header,
    size: header.length + 2,
    session: { clientAddress: "192.0.2.1", clientName: "mx.sender.example", protocol: "ESMTPS" },
    authentication: {
      spf: "pass",
      dmarc: { verdict: "none", policy: "none" },
      arc: "none",
      results: "spf=pass smtp.mailfrom=sender.example",
    },
  };
};

export const FORWARD: Extract<CopyPurpose, { kind: "forward" }> = {
  kind: "forward",
  alias: {
    account: valueOf(parseAccountId("account")),
    id: valueOf(parseAliasId("alias")),
    email: address("shop@alias.example"),
  },
  recipient: valueOf(parseRecipientId("recipient")),
};
export const NOTICE: CopyPurpose = { kind: "notice" };
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
