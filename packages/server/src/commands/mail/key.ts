import { err } from "@postern/core";
import { createDkimKey, readDkimKey } from "../../mail-identity/dkim-key.ts";
import { dkimRecord, zoneLines } from "../../mail-identity/published-records.ts";
import type { Command } from "../command.ts";
import { missingVariables } from "../missing-variables.ts";
import { printLines } from "../print-lines.ts";

export const createKey: Command["run"] = async ({ dkim }) => {
  if (dkim.isErr()) return err(missingVariables(dkim.error));
  const { dkimKey: path, dkimSelector, aliasDomains } = dkim.value;
  const key = (await createDkimKey(path)).andThen(() => readDkimKey(path));
  if (key.isErr()) return err(`${path} ${key.error}.`);
  const { publicKey } = key.value;
  const printed = await printLines(
    aliasDomains.flatMap((domain) => zoneLines(dkimRecord(dkimSelector, publicKey, domain))),
  );
  return printed
    .map(
      () =>
        `Created ${path}. Publish the records above, and keep a copy of the file where no other user can read it. \`mail records\` prints them again.`,
    )
    .mapErr((reason) => `${reason}, but ${path} was created: \`mail records\` prints what to publish.`);
};
