import { type AliasDomains, type LoggedMessage, MAX_SUBJECT_LENGTH } from "@postern/core";
import { decodeHeaderText, displayText } from "../header/encoded-words.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { authorOf } from "./correspondents.ts";

/** What the log says about a message itself. */
export type MessageSummary = Pick<LoggedMessage, "contact" | "subject" | "size">;

/** The summary of a message that was refused before it was sent. */
export const NO_SUMMARY: MessageSummary = { contact: null, subject: null, size: null };

const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

const subjectOf = (fields: readonly HeaderField[]): string | null => {
  const [value] = HeaderFields.values(fields, "subject");
  if (value === undefined) return null;
  return displayText(decodeHeaderText(value)).slice(0, MAX_SUBJECT_LENGTH).replace(HALF_A_CHARACTER, "");
};

/** The summary of a message that was received. */
export const summaryOf = (
  mail: { readonly fields: readonly HeaderField[]; readonly returnPath: string; readonly size: number },
  { aliasDomains, subjects }: { readonly aliasDomains: AliasDomains; readonly subjects: boolean },
): MessageSummary => ({
  contact: authorOf(mail, aliasDomains),
  subject: subjects ? subjectOf(mail.fields) : null,
  size: mail.size,
});
