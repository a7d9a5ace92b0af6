import type { MailBody, ReportPart } from "@postern/core/mail";
import PostalMime from "postal-mime";

/** Reports are read up to here, header included: longer ones enclose a message, which is not needed. */
const MAX_REPORT_OCTETS = 256 * 1024;
/** Reports have one level, or two. */
const MAX_NESTING = 16;

const beginning = async (header: string, body: MailBody): Promise<Buffer> => {
  const chunks: Uint8Array[] = [Buffer.from(`${header}\r\n`, "latin1")];
  let size = header.length + 2;
  for await (const chunk of body.read()) {
    if (size >= MAX_REPORT_OCTETS) break;
    chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, MAX_REPORT_OCTETS);
};

const latin1 = (content: string | ArrayBuffer | Uint8Array): string => {
  if (typeof content === "string") return content;
  return (content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(content)).toString("latin1");
};

/** The parts of what may be a report, as the core reads them; none if it cannot be divided into parts. */
export const reportParts = async (header: string, body: MailBody): Promise<readonly ReportPart[]> => {
  try {
    const { attachments } = await PostalMime.parse(await beginning(header, body), {
      // An enclosed message stays one part.
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_NESTING,
      maxHeadersSize: MAX_REPORT_OCTETS,
    });
    return attachments.map(({ mimeType, content }) => ({ type: mimeType, content: latin1(content) }));
  } catch {
    // It is nested too deeply, or the body is gone.
    return [];
  }
};
