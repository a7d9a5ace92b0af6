import { EmailAddress } from "@postern/core";
import { comparableDomain } from "../header/authors.ts";
import { decodeHeaderText, visibleText } from "../header/encoded-words.ts";
import { utf8 } from "../header/octets.ts";

/** The mailboxes that the owner of an alias has behind it, which nobody else may see. */
export type OwnMailboxes = {
  readonly include: (address: EmailAddress) => boolean;
  /** Whether a text for display contains one of them, even as a part of another word. */
  readonly areIn: (text: string) => boolean;
  /** The text with this in place of each of them, as people read it; null if it contains none. */
  readonly replacedIn: (text: string, by: string) => string | null;
};

const SIGN = String.raw`[^\p{L}\p{N} ]`;
/** How people write a symbol in an address, or hide it from programs: `@`, ` at `, `(at)`. */
const joinedBy = (symbol: string, word: string): string =>
  ` ?(?:${symbol}|(?<= )${word}(?= )|${SIGN} ?(?:${symbol}|${word}) ?${SIGN}) ?`;
const AT = joinedBy("(?:@|[%=]40|&#64;)", "at");
const DOT = joinedBy("[.\u3002]", "dot");
const TAG = String.raw`(?:\+[^ @]{0,64})?`;

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Some providers ignore dots before the @. */
const patternOf = (mailbox: string): string => {
  const at = mailbox.lastIndexOf("@");
  const user = [...mailbox.slice(0, at)].map(literal).join("\\.?");
  const labels = mailbox.slice(at + 1).split(".");
  return user + TAG + AT + labels.map(literal).join(DOT);
};

const DOMAIN_PART = String.raw`[\p{L}\p{N}\p{M}-]{0,62}[\p{L}\p{N}\p{M}]`;
const DOMAINS = new RegExp(String.raw`${DOMAIN_PART}(?:\.${DOMAIN_PART})+`, "gu");

export const ownMailboxes = (recipients: readonly EmailAddress[]): OwnMailboxes => {
  const mailboxes = new Set(recipients.map(EmailAddress.mailbox));
  const domains = new Set<string>(recipients.map(EmailAddress.domain));
  // `mailbox` can have another domain of the same provider.
  const written = new Set([...mailboxes, ...recipients]);
  const any = [...written].map(patternOf).join("|") || "(?!)";
  const anywhere = new RegExp(any, "iu");
  const asWords = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${any})(?![\p{L}\p{N}])`, "giu");
  /** With full-width signs and U-labels of these domains in ASCII. */
  const readable = (text: string): string =>
    visibleText(text.normalize("NFKC")).replace(DOMAINS, (name) => {
      const domain = comparableDomain(name);
      return domain !== null && domains.has(domain) ? domain : name;
    });
  return {
    include: (address) => mailboxes.has(EmailAddress.mailbox(address)),
    // Some programs decode a name once more.
    areIn: (text) => [text, decodeHeaderText(utf8(text))].some((each) => anywhere.test(readable(each))),
    replacedIn: (text, by) => {
      const before = readable(text);
      const after = before.replace(asWords, () => by);
      return after === before ? null : after;
    },
  };
};
