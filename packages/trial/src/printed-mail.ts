import { appendFile } from "node:fs/promises";
import type { VerificationMail } from "@postern/core";
import { ok } from "neverthrow";

/**
 * Prints a verification mail instead of sending it, and adds a line `recipient link` to the file, where the
 * commands of another terminal find it.
 */
export const printedMail = (publicUrl: string, file: string): VerificationMail => ({
  send: async ({ to, token }) => {
    const link = `${publicUrl}/recipients/verify?token=${token}`;
    await appendFile(file, `${to} ${link}\n`);
    process.stdout.write(`\n[mail] To: ${to}\n       Confirm this address: ${link}\n`);
    return ok();
  },
});
