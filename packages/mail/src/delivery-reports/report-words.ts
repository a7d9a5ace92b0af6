import { parseAddressList } from "../header/address-list.ts";
import { decodeHeaderText } from "../header/encoded-words.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import type { ReportPart } from "./report-parts.ts";

/*
 * What mail servers write for people; many write nothing for programs. The patterns are for words, wherever they are: there are too many
 * servers to know the texts of each.
 */

/** What mail servers call themselves. */
const MAIL_SERVER =
  /mailer[- _.]?daemon|post[- _]?master|mail[ .]?deliver|delivery (?:sub)?system|mail ?(?:administrator|system|server)|system administrator|\bndr\b|mdaemon/i;

/** How autoresponders begin subjects. The subject of the message that they answer often follows. */
const AUTOMATIC =
  /^(?:auto(?:matic(?:ally)?)?[- :]?(?:repl|respon|answer)|out of (?:the )?office|away from|abwesen|automatische (?:antwort|r)|automatisch antwoord|r[ée]ponse automatique|respuesta autom|risposta automatica|fuori sede|resposta autom)/i;

/** How servers begin subjects that go on with the subject of the message, whatever that says. */
const RETURNED =
  /^(?:undeliver(?:able|ed)|returned mail|unzustellbar|nicht zustellbar|non remis|non recapitabile|no se puede entregar|no entregado|n[aã]o entregue|onbestelbaar|olevererbart|niedostarczone)[a-z ]{0,30} ?[:：]/i;

/** A message is delayed, not the parcel that its subject is about. */
const DELAYED_IN_SUBJECT: readonly RegExp[] = [
  /^(?:(?:mail|message) )?delay(?:ed)?(?: (?:mail|message)|$)/i,
  /\((?:[a-z ]{0,30} )?delay(?:ed)?\)|notification:? (?:delivery (?:has been |is )?)?(?:delay|warning)/i,
  /(?:mail|messages?)(?: [^ ]{1,60})? (?:is |was |(?:has|have) been )?delay/i,
  /^(?:[a-z]{1,20} )?warning[^a-z]{1,4}(?:could|can|un|e?-?mail|message|deliver)/i,
  /^temporar|temporar(?:y|ily) (?:problem|fail|error|undeliver)/i,
  /not yet|not (?:been )?(?:delivered|sent) yet|still (?:being|trying)|will (?:be )?retr/i,
  /(?:zustellung|remise|entrega|consegna)(?: [^ ]{1,20}){0,2} (?:verz|retard|retras|ritard)/i,
];

const FAILED_IN_SUBJECT: readonly RegExp[] = [
  /undeliver|non-?deliver|(?:not|n't) (?:be |been )?(?:deliver|sen[dt]\b)/i,
  /deliver[a-z]*(?: of your message)?:? (?:(?:has|have|was|is) )?(?:fail|error|problem|unsuccessful|reject|abort|expired|impossible)/i,
  /fail[a-z]* (?:to )?(?:deliver|send)|(?:unable|not able) to (?:be )?(?:deliver|sen[dt]\b)/i,
  /(?:failure|error|bounce|rejection) (?:notice|notification|report|message)|notification:? \(?(?:fail|error)/i,
  /(?:mail|message) (?:fail|error)|error sending|returning (?:your |the )?(?:mail|message)/i,
  /return(?:ed)? (?:e?-?mail|message|to sender)|reject|bounced|blocked/i,
  /unzustellbar|zustellung|échec|erreur de|error en la entrega|mancata consegna|не доставлен/i,
  /配信|送信できません|エラー|退信|无法|無法/,
];

/** These come first: a text about a delay may also say why an attempt has failed. */
const DELAYED_IN_TEXT: readonly RegExp[] = [
  /warning message only|not need to (?:re)?send|no action is (?:required|needed)/i,
  /will (?:continue|keep|be|retry|try)(?: to be| on| to)? ?(?:try|retr|attempt|deliver|again|for)/i,
  /(?:still|not yet)(?: to)? be(?:en|ing)? (?:deliver|retr|tri|attempt|queue)|(?:has been|delivery (?:is|was)) delayed/i,
];

const FAILED_IN_TEXT: readonly RegExp[] = [
  /(?:not|n't)(?: yet)? (?:be |been |able )?(?:to )?(?:be )?(?:deliver|sen[dt]\b|reach the)|undeliver|non-?deliver/i,
  /(?:unable|fail[a-z]*|trouble) (?:to )?(?:deliver|send|reach)/i,
  /permanent(?:ly)?(?: [a-z]{1,20}){0,2} (?:fail|error)|fail[a-z]* (?:permanent|recipient)|failed addresses/i,
  /deliver[a-z]*(?: [a-z]{1,20}){0,8} (?:fail|abort|reject|refused|problem|unsuccessful)/i,
  /(?:was|were|been) (?:aborted|returned|bounced|rejected|refused)|giv(?:ing|en) up|gave up|(?:envelope|message|mail) (?:has )?expired/i,
  /(?:unknown|no such|invalid|non-?existent|no valid)(?: [a-z]{1,20})? (?:user|recipient|mailbox|address|host|domain|account)/i,
  /(?:user|recipient|mailbox|address|host|domain|account) (?:(?:is|was)(?: temporarily)? )?(?:unknown|invalid|not found|full|disabled|over quota|does(?:n't| not) exist)/i,
  // The reply of a server, or its status.
  /[ :(#]5\.[0-7]\.[0-9]{1,3}\b|(?:said|error|response|replied|smtp|[<>]{3})[^a-z0-9]{1,3}5[0-57][0-9]\b/i,
];

const isAny = (patterns: readonly RegExp[], text: string): boolean =>
  patterns.some((pattern) => pattern.test(text));

/** In characters. It also bounds how long it takes to look for words. */
const MAX_FIELD = 500;
const MAX_TEXT = 4_000;

const textOf = (fields: readonly HeaderField[], name: string): string =>
  decodeHeaderText((HeaderFields.values(fields, name)[0] ?? "").slice(0, MAX_FIELD));

/** Where the text of many servers goes on with the message itself. */
const ORIGINAL =
  /^[-=_*|> ]*(?:(?:this is|below(?: this line)? is) a copy|(?:original|returned|unsent) (?:message|mail)(?: [a-z]{1,20}){0,2}[^a-z\r\n]*$|message (?:text|header|body)|(?:return-path|received|message-id|mime-version|dkim-signature)[ \t]*:)/im;
/** A server that says which message it means. */
const SUBJECT_LINE = /^[^a-z\r\n]{0,20}subject[ \t]*:.*$/gim;

/** What a server itself has written for people, on one line; empty if there is no such part. Each character is one octet. */
export const textOfReport = (parts: readonly ReportPart[]): string => {
  const part =
    parts.find(({ type }) => type === "text/plain") ??
    // A `multipart` is a part by itself if nothing says how to divide it.
    parts.find(({ type }) => type === "text/html" || type.startsWith("multipart/"));
  const text = (part?.content ?? "").slice(0, MAX_TEXT);
  const own = text.slice(0, ORIGINAL.exec(text)?.index).replace(SUBJECT_LINE, "");
  return (part?.type === "text/html" ? own.replace(/<[^<>]*>/g, " ") : own).replace(/[\t-\r ]+/g, " ");
};

/** Whether a message is an automatic reply to another one (RFC 3834), or says so in a way of its own. */
export const isAutoReply = (fields: readonly HeaderField[]): boolean =>
  HeaderFields.values(fields, "auto-submitted").some((value) => /^auto-replied(?![a-z-])/i.test(value)) ||
  ["x-autoreply", "x-autorespond"].some((name) => HeaderFields.values(fields, name).length > 0) ||
  HeaderFields.values(fields, "precedence").some((value) => /^auto(?![a-z-])/i.test(value)) ||
  AUTOMATIC.test(textOf(fields, "subject"));

/** Whether a message calls itself one of a mail server: it is from one, or from nobody, as no person is. */
export const isFromMailServer = (fields: readonly HeaderField[]): boolean => {
  const [from = ""] = HeaderFields.values(fields, "from");
  const isFromNobody = parseAddressList(from).every(({ address }) => address === "");
  return isFromNobody || MAIL_SERVER.test(textOf(fields, "from"));
};

/** What a report says; null if it is neither of these. */
type Said = "failed" | "delayed" | null;

export const saidInSubject = (fields: readonly HeaderField[]): Said => {
  const subject = textOf(fields, "subject");
  if (AUTOMATIC.test(subject)) return null;
  if (RETURNED.test(subject)) return "failed";
  if (isAny(DELAYED_IN_SUBJECT, subject)) return "delayed";
  return isAny(FAILED_IN_SUBJECT, subject) ? "failed" : null;
};

/** @param text from `textOfReport` */
export const saidInText = (text: string): Said => {
  if (isAny(DELAYED_IN_TEXT, text)) return "delayed";
  return isAny(FAILED_IN_TEXT, text) ? "failed" : null;
};
