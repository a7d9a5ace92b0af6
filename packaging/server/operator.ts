import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject } from "vitest";
import * as z from "zod";
import { startIdentityProvider } from "../../packages/server/test/support/identity-provider.ts";
import { startMailbox } from "../../packages/server/test/support/mailbox.ts";
import { freePort } from "../../packages/test-support/src/free-port.ts";
import { block } from "../../scripts/document-blocks.ts";
import { type Machine, newMachine } from "./machine.ts";

/** A machine on which an operator has followed the documents, and the services that the server there needs. */
export const newOperator = async () => {
  const { out, version } = inject("server");
  const machine = newMachine(inject("oldestNode"));
  const provider = await startIdentityProvider();
  provider.release();
  const mailbox = await startMailbox();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;

  const variables = {
    PORT: `${port}`,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_AUDIENCE: "client",
    POSTERN_ALIAS_DOMAINS: "alias.example.com,alias.example",
    POSTERN_PUBLIC_URL: url,
    POSTERN_LINK_SECRET: "Zx81b0sVt2eQ9mKc7LrY4uHd6NfJ3wGa",
    // The mail server's certificate is self-signed.
    POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
    POSTERN_MAIL_FROM: "postern@postern.test",
  };

  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${provider.token}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: body === undefined ? { authorization: headers.authorization } : headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.status, text).toBeLessThan(300);
    return text === "" ? null : JSON.parse(text);
  };

  return {
    machine,
    variables,
    /** An account's ID token. */
    token: provider.token,
    request,
    install: async () => {
      const commands = block("docs/operations.md", "Installing").replace(/^VERSION=.*/, `VERSION=${version}`);
      const output = await succeeds(machine, commands, out);
      // The program looks for its file in the machine's folders, too.
      const program = machine.path("/opt/postern/dist");
      for (const name of readdirSync(program).filter((name) => name.endsWith(".js"))) {
        const code = readFileSync(join(program, name), "utf8");
        writeFileSync(
          join(program, name),
          code.replaceAll(/"\/(?:etc|var\/lib)\/postern\/[^"]+"/g, machine.path),
        );
      }
      return output;
    },
    /** Sets `variables`, and others, in a file that was copied from the example. */
    configure: (file: string, others: Record<string, string> = {}) => {
      const filled = Object.entries({ ...variables, ...others }).reduce(
        (text, [name, value]) => `${text.replace(new RegExp(`^#?${name}=.*\\n`, "m"), "")}${name}=${value}\n`,
        readFileSync(machine.path(file), "utf8"),
      );
      writeFileSync(machine.path(file), filled);
    },
    /** Adds a recipient, verifies it by the link in the message, and creates an alias that forwards to it. */
    createAlias: async (recipient: string, alias: string) => {
      const added = await request("POST", "/v1/recipients", { recipient_email: recipient });
      const { recipient_id } = z.object({ recipient_id: z.string() }).parse(added);
      const [link] = /^http:\S+$/m.exec(mailbox.messages.at(-1)?.text ?? "") ?? [];
      expect((await fetch(`${link}&confirm=true`)).status).toBe(200);
      await request("POST", "/v1/aliases", { alias_email: alias, recipient_ids: [recipient_id] });
    },
    /** The addresses of the account's aliases, newest first. */
    aliases: async (): Promise<readonly string[]> => {
      const { aliases } = z
        .object({ aliases: z.array(z.object({ alias_email: z.string() })) })
        .parse(await request("GET", "/v1/aliases"));
      return aliases.map(({ alias_email }) => alias_email);
    },
    /** What the server has written since its last start. */
    journal: () => readFileSync(`${machine.root}/journal`, "utf8"),
    stop: async () => {
      await machine.stop();
      await mailbox.stop();
      await provider.stop();
    },
  };
};

export const succeeds = async (
  machine: Machine,
  commands: string,
  directory = machine.root,
  variables: Record<string, string> = {},
): Promise<string> => {
  const { status, output, errors } = await machine.sh(commands, variables, directory);
  expect(status, `${commands}\n${output}\n${errors}`).toBe(0);
  return output;
};
