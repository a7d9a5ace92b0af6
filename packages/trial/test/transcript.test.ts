import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDirectory } from "../../test-support/src/new-directory.ts";
import { transcript } from "../src/transcript.ts";

test("the commands wait for the answer, even in a shell that fails if no file matches a pattern, as zsh does", () => {
  const mailboxes = join(newDirectory(), "ada's mailboxes");
  mkdirSync(mailboxes);
  const provider = { url: "http://127.0.0.1:1", client: "client" };
  const commands = transcript({ api: "http://127.0.0.1:1", mailPort: 1, provider, mailboxes });
  const [answer] = /^answer\(\) .+$/m.exec(commands) ?? expect.unreachable("nothing looks for the answer");
  const alias = "shop-1@postern.example";
  const find = (): string =>
    execFileSync("bash", ["-O", "failglob", "-c", `${answer}\nanswer 2>/dev/null || echo not yet`], {
      env: { ...process.env, MAILBOXES: mailboxes, SHOP: alias },
      encoding: "utf8",
    });
  expect(find()).toBe("not yet\n");
  const bob = join(mailboxes, "bob@shop.example");
  mkdirSync(bob);
  expect(find()).toBe("not yet\n");
  writeFileSync(join(bob, "1.txt"), "From: shop-of-before@postern.example\n");
  writeFileSync(join(bob, "2.eml"), `From: ${alias}\r\n`);
  expect(find()).toBe("not yet\n");
  writeFileSync(join(bob, "2.txt"), `From: ${alias}\n`);
  expect(find()).toBe(`${bob}/2.txt\n`);
});
