import type { MailBody } from "@postern/mail";

/** A body with these octets (latin1), which is read in chunks of `chunk` octets. */
export const mailBody = (text: string, chunk = 64 * 1024): MailBody => {
  const octets = Buffer.from(text, "latin1");
  return {
    size: octets.length,
    read: async function* () {
      for (let at = 0; at < octets.length; at += chunk) yield octets.subarray(at, at + chunk);
    },
  };
};

/** A body that turns out to be gone once this text has been read. */
export const brokenBody = (text: string): MailBody => ({
  size: text.length + 1000,
  read: async function* () {
    yield Buffer.from(text, "latin1");
    throw new Error("gone: ada@example.com");
  },
});

/** The octets of a body (latin1). */
export const textOf = async (body: Pick<MailBody, "read">): Promise<string> => {
  let text = "";
  for await (const chunk of body.read()) text += Buffer.from(chunk).toString("latin1");
  return text;
};
