import { err } from "@postern/core";
import { ENV } from "../../configuration/names.ts";
import { readDkimKey } from "../../mail-identity/dkim-key.ts";
import { isLocal } from "../../mail-identity/is-local.ts";
import { publishedRecords, zoneLines } from "../../mail-identity/published-records.ts";
import type { Command } from "../command.ts";
import { missingVariables } from "../missing-variables.ts";
import { printLines } from "../print-lines.ts";

const WHERE_ADDRESS_IS = (name: string): string =>
  `; ${name} itself needs an A record with the public IPv4 address of this machine, and an AAAA record only if the server also listens on IPv6 (${ENV.mxHost}=::).`;

const REVERSE = (name: string): string =>
  `; The relay is on this machine: have its provider set the PTR record of these addresses to ${name}; many servers refuse mail without one.`;

export const printRecords: Command["run"] = async ({ published }, _args, flags) => {
  if (published.isErr()) return err(missingVariables(published.error));
  const { dkimKey: path, name, relayUrl } = published.value;
  const key = readDkimKey(path);
  if (key.isErr()) return err(`${path} ${key.error}. \`mail key\` makes a new one.`);
  const records = publishedRecords(published.value, key.value.publicKey);
  const lines = flags.has("json")
    ? [JSON.stringify(records, null, 2)]
    : [...records.flatMap(zoneLines), WHERE_ADDRESS_IS(name), ...(isLocal(relayUrl) ? [REVERSE(name)] : [])];
  const printed = await printLines(lines);
  return printed
    .map(() => "Publish these records, then run `doctor` to check them.")
    .mapErr((reason) => `${reason}: the list is incomplete.`);
};
