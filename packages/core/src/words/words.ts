/** A heading, and the text below it. */
type Page<Text = string> = { readonly title: string; readonly text: Text };

/** Text that names the service. */
type Naming = (service: string) => string;

/**
 * Everything that the owners of mailboxes and other visitors read, in one language: plain text, which whoever shows it escapes as needed. The language of
 * the message can differ from that of the page that its link opens, so neither quotes the other.
 */
export type Words = {
  /** The page that the link in a verification message opens. */
  readonly page: {
    /** Asks for confirmation. Nothing has happened yet. */
    readonly confirm: Page<Naming> & {
      readonly button: string;
      /** What to do instead, above the button that stops these messages. */
      readonly otherwise: string;
    };
    readonly confirmed: Page;
    /** The button that stops these messages for good. */
    readonly suppress: string;
    readonly suppressed: Page<Naming>;
    /** A link that nobody sent, or that was cut off. */
    readonly incomplete: Page<Naming>;
    /** A link that no longer confirms, but may still stop these messages. */
    readonly outdated: Page<Naming> & { readonly otherwise: string };
    /** The service could not do it just now. */
    readonly unavailable: Page;
  };
  /** What a browser shows at the address of the service itself. */
  readonly home: Page<Naming> & {
    /** Whom this address is for. */
    readonly visitors: string;
    /** The link to the description of the API. */
    readonly document: string;
  };
  /** The verification message. */
  readonly message: {
    readonly subject: Naming;
    readonly request: Naming;
    /** Introduces the link in the text part, which has no button. */
    readonly openLink: string;
    readonly button: string;
    /** Introduces the link below the button. */
    readonly noButton: string;
    readonly lifetime: (hours: number) => string;
    /** What happens if the reader does nothing. */
    readonly ignored: string;
    /** How to stop these messages. */
    readonly neverAgain: string;
  };
  /** The notice that an alias has ended. */
  readonly ended: {
    readonly subject: (alias: string) => string;
    /** Introduces the alias, which stands on a line of its own. */
    readonly alias: string;
    /** Continues the sentence after the alias. */
    readonly stopped: string;
    /** It accepted mail until a certain time. */
    readonly timeOver: string;
    /** It accepted a certain number of messages. */
    readonly lastArrived: string;
    readonly again: string;
    readonly automatic: string;
  };
};
