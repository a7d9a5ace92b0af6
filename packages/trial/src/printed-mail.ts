import { appendFile } from "node:fs/promises";
import { ok, type VerificationMail } from "@postern/core";

/**
 * Prints verification messages instead of sending them, and appends a line `address link` to the file, where the commands
 * in another terminal find the link.
 */
export const printedMail = (publicUrl: string, file: string): VerificationMail => ({
  send: async ({ to, token }) => {
    const link = `${publicUrl}/recipients/verify?token=${token}`;
    await appendFile(file, `${to} ${link}\n`);
    process.stdout.write(`\n[mail] To: ${to}\n       Confirm this address: ${link}\n`);
    return ok();
  },
});
