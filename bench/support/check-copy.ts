import { Resolver } from "node:dns/promises";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { DOMAIN } from "./fixture.ts";
import type { Copy } from "./mail-protocol.ts";

/**
 * Checks that a copy went to one of these mailboxes, and is signed as all contenders sign. The name server at that port of the loopback
 * address has the key.
 *
 * @throws Error
 */
export const checkCopy = async (
  { recipient, message }: Copy,
  mailboxes: readonly string[],
  dnsPort: number,
): Promise<void> => {
  if (!mailboxes.includes(recipient)) throw new Error(`a copy went to ${recipient}`);
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dnsPort}`]);
  const { results } = await dkimVerify(Buffer.from(message, "latin1"), {
    resolver: (name) => resolver.resolveTxt(name),
  });
  const signature = results.find(({ signingDomain }) => signingDomain === DOMAIN);
  const found = `${signature?.status.result} ${signature?.algo} ${signature?.format}`;
  if (found !== "pass rsa-sha256 relaxed/relaxed") throw new Error(`the signature of a copy is: ${found}`);
};
