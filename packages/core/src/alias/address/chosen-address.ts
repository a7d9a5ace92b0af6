import { EmailAddress, emailAddress } from "../../values/email-address.ts";

const CHOSEN = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*$/i;

/**
 * An address that its owner chose. Fewer are accepted than mail systems understand, because some give a meaning to
 * others, or hand them to programs: `--option`, `prvs=…`, `|command`. Aliases that have other addresses keep them.
 */
export const chosenAddress = emailAddress.refine(
  (address) => CHOSEN.test(EmailAddress.localPart(address)),
  "must consist of letters and digits before the @, with single . _ - or + between them: choose another name",
);
