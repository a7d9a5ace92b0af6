import { EmailAddress, emailAddress } from "../../values/email-address.ts";

const CHOSEN = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/i;

/**
 * An address chosen by its owner. Not every valid address is allowed: mail systems give some forms a special meaning
 * (`prvs=…`, `srs0=…`), or pass the name to programs (`--option`, `|command`). Anything after a `+` is a tag, which
 * belongs to whoever has the address without it. Existing aliases with other addresses keep working.
 */
export const chosenAddress = emailAddress.refine(
  (address) => CHOSEN.test(EmailAddress.localPart(address)),
  "must consist of letters and digits before the @, with single . _ or - between them: choose another name",
);
