/** The body of a message in the spool: everything after the blank line, in octets, with CRLF at the end of each line. */
export type MailBody = {
  readonly size: number;
  /**
   * The octets from the beginning, in chunks of at most 64 KiB. Can be read repeatedly, even concurrently. Throws a `BodyGone` once the
   * body, or a part of it, is gone for good, and other errors if it cannot be read now.
   */
  read(): AsyncIterable<Uint8Array>;
};

/** A body can never be read as a whole again. */
export class BodyGone extends Error {
  constructor() {
    super("the body is gone");
  }
}

/** Whether the body is gone for good. Reads all of it. */
export const isGone = async (body: MailBody): Promise<boolean> => {
  try {
    for await (const _ of body.read());
    return false;
  } catch (thrown) {
    return thrown instanceof BodyGone;
  }
};
