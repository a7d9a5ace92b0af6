import { expect } from "vitest";

/** What the server must never write: an email address, an identity token, a verification link, the secret of a webhook. */
const TELLTALES = [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/, /eyJ[\w-]{8,}/, /[?&]token=/, /Bearer \S/, /whsec_/];

/** Checks the output of a server. Every test that runs one as a process must call this with all its output. */
export const expectNoSecrets = (output: string, variables: Readonly<Record<string, string>>): void => {
  for (const telltale of TELLTALES) expect(output).not.toMatch(telltale);
  for (const name of [
    "POSTERN_LINK_SECRET",
    "POSTERN_GATEWAY_SECRET",
    "POSTERN_SMTP_URL",
    "POSTERN_POSTGRES_URL",
  ]) {
    const secret = variables[name];
    if (secret) expect(output).not.toContain(secret);
  }
};
