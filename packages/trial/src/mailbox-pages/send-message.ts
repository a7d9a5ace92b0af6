import { createTransport } from "nodemailer";
import { type Mailbox as Address, addressParser } from "postal-mime";
import * as z from "zod";

/** What somebody has typed. */
export const Draft = z.object({
  from: z.string().default(""),
  to: z.string().default(""),
  subject: z.string().default(""),
  text: z.string().default(""),
});
export type Draft = z.infer<typeof Draft>;

export type Outcome =
  | { readonly type: "accepted" }
  /** What the mail server said, with the code before it. */
  | { readonly type: "refused"; readonly answer: string; readonly forGood: boolean }
  | { readonly type: "invalid"; readonly field: "from" | "to" }
  | { readonly type: "unreachable" };

/** Null if the text is not exactly one address. */
const oneAddress = (text: string): Address | null => {
  const [first, ...others] = addressParser(text);
  if (first?.address === undefined || others.length > 0) return null;
  return /^[^@\s]+@[^@\s]+$/.test(first.address) ? first : null;
};

type Refusal = { readonly responseCode?: number; readonly response?: string };

/** Sends a message to the mail server on this port of loopback, as another mail server would. */
export const sendMessage = async ({ subject, text, ...draft }: Draft, port: number): Promise<Outcome> => {
  const from = oneAddress(draft.from);
  if (from === null) return { type: "invalid", field: "from" };
  const to = oneAddress(draft.to);
  if (to === null) return { type: "invalid", field: "to" };
  const transport = createTransport({ host: "127.0.0.1", port, ignoreTLS: true });
  try {
    await transport.sendMail({ from, to, subject, text });
    return { type: "accepted" };
  } catch (error) {
    const { responseCode, response } = error as Refusal;
    if (responseCode === undefined || response === undefined) return { type: "unreachable" };
    return { type: "refused", answer: response, forGood: responseCode >= 500 };
  } finally {
    transport.close();
  }
};
