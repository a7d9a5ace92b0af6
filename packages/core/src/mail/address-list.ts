import { decodeHeaderText, displayText } from "./encoded-words.ts";
import { headerTokens } from "./header-tokens.ts";
import { decodeUnlabelled } from "./octets.ts";

/** A mailbox as a header names it, for display. */
export type NamedMailbox = {
  /** Decoded, on one line; empty without one. */
  readonly name: string;
  /** What stands for the address, without white space; not necessarily valid, and empty without one. */
  readonly address: string;
};

/** How much of a field is read: hundreds of mailboxes. Each alias of a message reads it for itself. */
export const MAX_TOKENS = 4_000;

/** How many octets of a name are decoded. Nobody is shown more than a part of that. */
const MAX_NAME_OCTETS = 2_000;

const addressText = (octets: string): string => displayText(decodeUnlabelled(octets)).replaceAll(" ", "");

/** Without quotes that it does not need (RFC 5321, section 4.1.2): they change nothing about which mailbox it is. */
const quoted = (text: string): string =>
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;

/** What was read of a mailbox that is not complete. */
type Partial = {
  /** Words before the address, or all of them. */
  words: string;
  /** The same without white space, in case that they are the address. */
  joined: string;
  comment: string;
  /** What is in angle brackets; null without any. */
  angle: string | null;
};

const nothing = (): Partial => ({ words: "", joined: "", comment: "", angle: null });

const mailboxOf = ({ words, joined, comment, angle }: Partial): NamedMailbox => {
  const bare = angle === null && joined.includes("@");
  return {
    name: displayText(
      decodeHeaderText((bare || words.trim() === "" ? comment : words).slice(0, MAX_NAME_OCTETS)),
    ),
    address: addressText(bare ? joined : (angle ?? "")),
  };
};

/**
 * The mailboxes in a field such as `From` (RFC 5322, section 3.4), including those of groups and obsolete forms. Takes any
 * text, and makes the best of what is not valid. Ignores what has neither name nor address, and what follows the
 * first 4,000 tokens.
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
