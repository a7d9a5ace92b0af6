/** The wording of the verification message in one language, as plain text: each template escapes it as needed. */
export type VerificationWords = {
  /** The language's BCP 47 tag. */
  readonly language: string;
  readonly subject: string;
  readonly request: string;
  /** Introduces the link in the text part, which has no button. */
  readonly openLink: string;
  readonly button: string;
  /** Introduces the link below the button. */
  readonly noButton: string;
  readonly lifetime: (slots: { readonly hours: number }) => string;
  /** What happens if the reader does nothing. */
  readonly ignored: string;
  /** How to stop these messages. Quotes the button of the verification page. */
  readonly neverAgain: string;
};

export const english: VerificationWords = {
  language: "en",
  subject: "Confirm that Postern may forward mail to this address",
  request: "Someone, probably you, asked Postern to forward mail to this address.",
  openLink: "If you want this, open the link below and press the button on the page:",
  button: "Confirm this address",
  noButton: "If the button does not work, open this link:",
  lifetime: ({ hours }) => `The link works for ${hours} hours.`,
  ignored:
    "If this was not you, ignore this message. No mail is forwarded to this address unless you confirm.",
  neverAgain:
    'To get no more messages like this one, open the link and press "Never write to me again" on the page. Opening the link does not confirm anything.',
};
