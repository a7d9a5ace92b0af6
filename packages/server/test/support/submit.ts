import { openSession } from "./smtp-session.ts";

export type Submission = {
  /** The envelope sender; empty for the null sender. */
  readonly from?: string;
  readonly to: string | readonly string[];
  /** The message, without a line that has only a dot. Its lines end with CRLF. */
  readonly text: string;
};

/**
 * Sends a message as a mail server does.
 *
 * @returns the reply that ended it: to the message, or the last one that refused something; `closed` if the server hung up
 */
export const submit = async (
  port: number,
  { from = "bob@sender.test", to, text }: Submission,
): Promise<{ readonly reply: string; readonly said: string }> => {
  const session = await openSession(port);
  const transaction = async (): Promise<string> => {
    let last = await session.say("EHLO mail.sender.test");
    if (!last.startsWith("250")) return last;
    last = await session.say(`MAIL FROM:<${from}>`);
    if (!last.startsWith("250")) return last;
    let accepted = 0;
    for (const address of [to].flat()) {
      last = await session.say(`RCPT TO:<${address}>`);
      if (last.startsWith("250")) accepted += 1;
    }
    if (accepted === 0) return last;
    last = await session.say("DATA");
    if (!last.startsWith("354")) return last;
    session.write(text);
    return session.say(".");
  };
  try {
    return { reply: await transaction(), said: session.said() };
  } finally {
    session.end();
  }
};
