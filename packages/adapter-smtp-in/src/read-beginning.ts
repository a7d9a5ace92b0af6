import type { MailBody } from "@postern/mail";

/** The first octets of a body, each as one character. Throws if the body is gone. */
export const readBeginning = async (body: MailBody, maxOctets: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body.read()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxOctets) break;
  }
  return Buffer.concat(chunks).toString("latin1", 0, maxOctets);
};
