import { err, type Unavailable } from "@postern/core";
import type { MailRelay, MailSigner } from "@postern/mail";

/** What a plane needs for forwarding, for tests in which mail only arrives. */
export const NOT_FORWARDING: { readonly signer: MailSigner; readonly relay: MailRelay } = {
  signer: { sign: async () => err<never, Unavailable>({ code: "unavailable" }) },
  relay: { send: async () => ({ kind: "deferred", about: "relay", code: null, status: null }) },
};
