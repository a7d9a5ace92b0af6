/** What the verification message says, in one language. Plain text: each template escapes it as it must. */
export type VerificationWords = {
  /** The language's BCP 47 tag. */
  readonly language: string;
  readonly subject: string;
  readonly request: string;
  /** Stands above the link where there is no button. */
  readonly openLink: string;
  readonly button: string;
  /** Stands above the link where there is a button too. */
  readonly noButton: string;
  readonly lifetime: (slots: { readonly hours: number }) => string;
  /** What happens when the reader does nothing. */
  readonly ignored: string;
};

export const english: VerificationWords = {
  language: "en",
  subject: "Confirm that Postern may forward mail to this address",
  request: "Somebody, most likely you, asked Postern to forward mail to this address.",
  openLink: "If that is what you want, open this link and press the button on the page:",
  button: "Confirm this address",
  noButton: "If the button does not work, open this link:",
  lifetime: ({ hours }) => `The link works for ${hours} hours.`,
  ignored:
    "If it was not you, ignore this message: unless you confirm, no mail is forwarded to this address.",
};
