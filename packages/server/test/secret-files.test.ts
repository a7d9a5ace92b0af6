import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { describe, expect, test } from "vitest";
import { readCommandConfiguration, readConfiguration } from "../src/configuration/configuration.ts";
import { descriptions } from "../src/configuration/variables.ts";
import { problems, valueRead } from "./support/configuration.ts";
import { environment } from "./support/environment.ts";

describe("secrets in files", () => {
  const SECRET = "s".repeat(32);
  const fileWith = (content: string | Uint8Array, mode = 0o600): string => {
    const path = join(newDirectory(), "secret");
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  /** Without the variable that `environment` sets. */
  const fromFile = (path: string) => ({ POSTERN_LINK_SECRET: undefined, POSTERN_LINK_SECRET_FILE: path });

  test.each(["", "\n", "\r\n"])("are read without the last line break (%j)", (end) => {
    // Not the link secret, from which spaces and line breaks are removed anyway.
    const file = { POSTERN_MAILBOX_SECRET_FILE: fileWith(` ${SECRET}\n${end}`, 0o640) };
    const configuration = valueRead(readConfiguration({ ...environment, ...file }));
    expect(configuration.mailboxSecret).toBe(end === "" ? ` ${SECRET}` : ` ${SECRET}\n`);
    expect(configuration.warnings).toEqual([]);
  });

  test("are read for every secret", () => {
    const values = {
      POSTERN_POSTGRES_URL: "postgres://user:password@127.0.0.1/postern",
      POSTERN_GATEWAY_SECRET: "g".repeat(32),
      POSTERN_LINK_SECRET: SECRET,
      POSTERN_MAILBOX_SECRET: "m".repeat(32),
      POSTERN_SMTP_URL: "smtp://user:password@127.0.0.1",
      POSTERN_RELAY_URL: "smtp://user:password@127.0.0.2",
      POSTERN_REDIS_URL: "redis://user:password@127.0.0.1",
    };
    const files = Object.entries(values).flatMap(([name, value]) => [
      [name, undefined],
      [`${name}_FILE`, fileWith(value)],
    ]);
    const described = descriptions.map(({ name }) => name).filter((name) => name.endsWith("_FILE"));
    expect(described).toEqual(Object.keys(values).map((name) => `${name}_FILE`));
    const read = { ...environment, POSTERN_AUTHORIZER: "gateway", ...Object.fromEntries(files) };
    expect(valueRead(readConfiguration(read))).toEqual(
      valueRead(readConfiguration({ ...environment, POSTERN_AUTHORIZER: "gateway", ...values })),
    );
  });

  test("that every user of the machine may read cause a warning", () => {
    const path = fileWith(SECRET, 0o644);
    expect(valueRead(readConfiguration({ ...environment, ...fromFile(path) })).warnings).toEqual([
      `POSTERN_LINK_SECRET_FILE: ${path} can be read by every user of this machine (mode 0644): use mode 0600 or 0400`,
    ]);
  });

  test.each([
    ["", "which is empty"],
    ["\n", "which is empty"],
    ["too-short-a-secret", "whose content must be at least 32 bytes long"],
    [
      "the output of: openssl rand -base64 48\n",
      "whose content is the example value from the documentation: set your own",
    ],
    [new Uint8Array(32).fill(0xff), "which is not UTF-8 text"],
    [SECRET.repeat(2049), "which is larger than 64 KiB"],
  ])("are refused if the content is wrong, without repeating it: %#", (content, why) => {
    const found = problems(fromFile(fileWith(content)));
    expect(found).toMatchObject([{ variable: "POSTERN_LINK_SECRET_FILE" }]);
    expect(found[0]?.problem).toContain(why);
    if (typeof content === "string" && content.trim() !== "") {
      expect(JSON.stringify(found)).not.toContain(content.trim());
    }
  });

  test("are refused if the file cannot be read, with its path and the reason", () => {
    expect(problems(fromFile("/nowhere/secret"))).toEqual([
      {
        variable: "POSTERN_LINK_SECRET_FILE",
        problem: "names /nowhere/secret, which cannot be read (ENOENT)",
        example: "/etc/postern/link-secret",
        inFile: true,
      },
    ]);
    for (const path of ["/tmp", "/dev/zero"]) {
      expect(problems(fromFile(path))).toMatchObject([
        { problem: `names ${path}, which is not a regular file` },
      ]);
    }
  });

  test("must have an absolute path; any other value could be the secret, and is not repeated", () => {
    expect(problems(fromFile(SECRET))).toMatchObject([
      { variable: "POSTERN_LINK_SECRET_FILE", problem: "must be an absolute path" },
    ]);
  });

  test("cannot be set directly as well", () => {
    expect(problems({ POSTERN_LINK_SECRET_FILE: fileWith(SECRET) })).toMatchObject([
      { variable: "POSTERN_LINK_SECRET_FILE", problem: "and POSTERN_LINK_SECRET cannot both be set" },
    ]);
  });

  test("are not read by commands, which need none", () => {
    expect(valueRead(readCommandConfiguration(fromFile("/nowhere/secret")))).toMatchObject({
      store: "sqlite",
    });
  });
});
