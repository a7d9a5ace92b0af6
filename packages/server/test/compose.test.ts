import { ok } from "neverthrow";
import { describe, expect, test, vi } from "vitest";
import { compose, type Replacements } from "../src/compose.ts";
import { readConfiguration } from "../src/configuration.ts";
import { tokens } from "../src/tokens.ts";
import { environment } from "./environment.ts";

const compositions: readonly { name: string; store: string; replacements: Replacements }[] = [
  { name: "memory and SMTP", store: "memory", replacements: {} },
  {
    name: "memory and the embedder's own mail",
    store: "memory",
    replacements: { verificationMail: { send: async () => ok() } },
  },
];

describe.each(compositions)("the composition of $name", ({ store, replacements }) => {
  const configuration = readConfiguration({ ...environment, POSTERN_STORE: store })._unsafeUnwrap();

  test.each(Object.entries(tokens))("has one %s", async (_, token) => {
    const container = compose(configuration, replacements);
    const resolved = container.get<unknown>(token);
    expect(resolved).toBeDefined();
    expect(container.get<unknown>(token)).toBe(resolved);
    await container.unbindAllAsync();
  });

  test("mails by what it was given", async () => {
    const container = compose(configuration, replacements);
    const given = replacements.verificationMail;
    if (given !== undefined) expect(container.get(tokens.verificationMail)).toBe(given);
    else expect(container.get(tokens.verificationMail)).toHaveProperty("close");
    await container.unbindAllAsync();
  });
});

test("SMTP connections are closed with the composition", async () => {
  const container = compose(readConfiguration(environment)._unsafeUnwrap());
  const mail = container.get(tokens.verificationMail);
  if (!("close" in mail) || typeof mail.close !== "function") expect.unreachable("not the SMTP adapter");
  const close = vi.spyOn(mail as { close(): void }, "close");
  await container.unbindAllAsync();
  expect(close).toHaveBeenCalledOnce();
});
