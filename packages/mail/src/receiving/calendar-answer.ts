import { reportParts } from "../delivery-reports/report-parts.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";

/** The answers of a guest: REPLY accepts or declines, COUNTER proposes another time (RFC 5546, section 1.4). */
const TYPE = /^text\/calendar\b.*;[\t-\r ]*method[\t-\r ]*=[\t-\r ]*"?(?:reply|counter)\b/i;
const METHOD = /^METHOD:(?:REPLY|COUNTER)[\t ]*$/im;

/**
 * Whether a message is somebody's answer to an invitation (RFC 6047), alone or as a part of it. Calendars send it for them, and mark it as
 * automatic.
 *
 * @param header as in `ReceivedMessage`
 * @param content the beginning of the body (`readBeginning`)
 */
export const isCalendarAnswer = (header: string, fields: readonly HeaderField[], content: string): boolean =>
  HeaderFields.values(fields, "content-type").some((type) => TYPE.test(type)) ||
  reportParts(header, content).some(({ type, content }) => type === "text/calendar" && METHOD.test(content));
