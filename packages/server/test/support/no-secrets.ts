import { expect } from "vitest";

/** What a line of the server's must never look like: an address, an identity token, a verification link, its seal. */
const TELLTALES = [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/, /eyJ[\w-]{8,}/, /[?&]token=/, /Bearer \S/];

/** Every test that runs a server hands over all that it wrote: nothing of it may be secret, nor anybody's address. */
export const expectNoSecrets = (output: string, variables: Readonly<Record<string, string>>): void => {
  for (const telltale of TELLTALES) expect(output).not.toMatch(telltale);
  for (const name of ["POSTERN_LINK_SECRET", "POSTERN_SMTP_URL"]) {
    const secret = variables[name];
    if (secret) expect(output).not.toContain(secret);
  }
};
