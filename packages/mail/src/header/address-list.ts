import { decodeHeaderText, displayText } from "./encoded-words.ts";
import { headerTokens } from "./header-tokens.ts";
import { decodeUnlabelled, isBlank } from "./octets.ts";

/** A mailbox as a header names it, for display. */
export type NamedMailbox = {
  /** Decoded, on one line; empty if there is none. */
  readonly name: string;
  /** The text in the place of the address, without ASCII white space and control characters; not necessarily valid, nor fit for display. Empty if there is none. */
  readonly address: string;
};

/** How many tokens of a field are read: enough for hundreds of mailboxes. The field is read again for each alias of a message. */
export const MAX_TOKENS = 4_000;

/** How many octets of a name are decoded. Only part of that is ever shown. */
const MAX_NAME_OCTETS = 2_000;

/** Some senders leave these in addresses, and others' servers ignore them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching them is the point
const CONTROLS = /[\u0000-\u0020\u007f]/g;

/** Drops quotes that are not needed (RFC 5321, section 4.1.2): they do not change which mailbox it is. */
const quoted = (text: string): string =>
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;

/** What has been read so far of a mailbox that is not complete. */
type Partial = {
  /** The words before the address, or all of them. */
  words: string;
  /** The same without white space, in case they are the address. */
  joined: string;
  comment: string;
  /** The text in angle brackets; null if there are none. */
  angle: string | null;
};

const nothing = (): Partial => ({ words: "", joined: "", comment: "", angle: null });

const mailboxOf = ({ words, joined, comment, angle }: Partial): NamedMailbox => {
  const bare = angle === null && joined.includes("@");
  return {
    name: displayText(decodeHeaderText((bare || isBlank(words) ? comment : words).slice(0, MAX_NAME_OCTETS))),
    address: decodeUnlabelled((bare ? joined : (angle ?? "")).replace(CONTROLS, "")),
  };
};

/**
 * The mailboxes in a field such as `From` (RFC 5322, section 3.4), including those in groups and obsolete forms. Takes
 * any text, and makes the best of invalid input. Ignores entries with neither a name nor an address, and everything after
 * the first 4,000 tokens.
 */
export const parseAddressList = (value: string): readonly NamedMailbox[] => {
  const mailboxes: NamedMailbox[] = [];
  let current = nothing();
  let inAngle = false;
  const complete = () => {
    const mailbox = mailboxOf(current);
    if (mailbox.name !== "" || mailbox.address !== "") mailboxes.push(mailbox);
    current = nothing();
    inAngle = false;
  };
  const append = (shown: string, written: string) => {
    if (inAngle) {
      current.angle += written;
    } else {
      current.words += shown;
      current.joined += written;
    }
  };
  for (const { kind, text } of headerTokens(value).take(MAX_TOKENS)) {
    if (kind === "space") append(" ", "");
    else if (kind === "comment") current.comment = inAngle ? current.comment : text;
    else if (kind === "quoted") append(text, quoted(text));
    else if (kind === "word" || text === "@") append(text, text);
    else if (text === "<") {
      // A second address cannot belong to the same mailbox.
      if (current.angle !== null && !inAngle) complete();
      current.angle = "";
      inAngle = true;
    } else if (text === ">") inAngle = false;
    else if (text === ":") {
      // What precedes it is the name of a group, or a route (`<@relay:bob@sender.example>`).
      if (inAngle) current.angle = "";
      else current = nothing();
    } else if (!(inAngle && current.angle?.startsWith("@"))) complete();
  }
  complete();
  return mailboxes;
};
