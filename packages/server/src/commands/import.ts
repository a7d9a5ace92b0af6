import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import {
  type ArchiveRecord,
  type ImportError,
  type ImportRules,
  importRecords,
  MAX_LINE_LENGTH,
  readLines,
  readRecord,
  type UnreadableLine,
} from "@postern/archive";
import {
  type AddressNotAllowed,
  err,
  type InvalidRequest,
  ok,
  type Result,
  reservedNames,
} from "@postern/core";
import { systemClock } from "@postern/node";
import { ENV } from "../configuration/names.ts";
import type { OpenedStore } from "../stores/open-store.ts";
import { systemCode } from "../system/system-code.ts";
import type { Command } from "./command.ts";
import { explainCause } from "./explain-cause.ts";
import { printable } from "./printable.ts";
import { progress } from "./progress.ts";
import { withStore } from "./with-store.ts";

export const importStore: Command["run"] = async (configuration, [file], flags) => {
  const { aliasDomains, reservedNames: own } = configuration;
  if (aliasDomains === undefined) return err(`Set ${ENV.aliasDomains} as for the server.`);
  const isReserved = flags.has("allow-reserved") ? () => false : reservedNames(own);
  const rules = { aliasDomains, isReserved, clock: systemClock };
  // Opened before a store is created for it.
  const input = await openInput(file);
  if (input.isErr()) return err(`Cannot read ${file} (${input.error}): nothing was imported.`);
  const { lines, mayBeEmpty } = input.value;
  try {
    return await withStore(configuration, "create", (store) => importLines(store, rules, lines, mayBeEmpty));
  } finally {
    lines.destroy();
  }
};

/** `mayBeEmpty`: it is expected to be empty, so importing it only prepares the store. */
type Input = { readonly lines: Readable; readonly mayBeEmpty: boolean };

/** The file, or standard input. Fails with the system's code. */
const openInput = async (file: string | undefined): Promise<Result<Input, string>> => {
  if (file === undefined) return ok({ lines: process.stdin, mayBeEmpty: false });
  try {
    const handle = await open(file);
    const found = await handle.stat();
    // Such as /dev/null.
    const mayBeEmpty = found.isCharacterDevice();
    if (!found.isDirectory()) return ok({ lines: handle.createReadStream(), mayBeEmpty });
    await handle.close();
    return err("EISDIR");
  } catch (error) {
    return err(systemCode(error));
  }
};

const importLines = async (
  store: OpenedStore,
  rules: ImportRules,
  input: Readable,
  mayBeEmpty: boolean,
): Promise<Result<string, string>> => {
  const counted = { stored: 0, present: 0, rejected: 0 };
  const count = progress("lines");
  const end = (failure?: string) => {
    count.end();
    const { stored, present, rejected } = counted;
    const summary = `Records imported: ${stored}, already stored: ${present}, rejected: ${rejected}.`;
    if (failure !== undefined) return err(`${failure}. ${summary}`);
    return rejected === 0 ? ok(summary) : err(summary);
  };
  let number = 0;
  for await (const imported of importRecords(store, recordsOf(input), rules)) {
    if (imported.isErr() && imported.error.code === "cannot_read") {
      return end(`Cannot read past line ${number} (${imported.error.reason})`);
    }
    number += 1;
    count.one();
    if (imported.isOk()) {
      counted[imported.value] += 1;
      continue;
    }
    if (imported.error.code === "blank") continue;
    // `unavailable` can mean that the store is down, or that it responds but could not store this record.
    if (imported.error.code === "unavailable" && (await store.ping()).isErr()) {
      const cause = explainCause(imported.error);
      return end(`The store did not respond at line ${number} (${cause}): import again`);
    }
    counted.rejected += 1;
    process.stderr.write(`line ${number}: ${explain(imported.error)}\n`);
  }
  return end(number === 0 && !mayBeEmpty ? "The input is empty: the export may have failed" : undefined);
};

type Unreadable = UnreadableLine | InvalidRequest | { readonly code: "cannot_read"; readonly reason: string };

type Blank = { readonly code: "blank" };

/** One record for each line. A failure to read ends them. */
async function* recordsOf(input: Readable): AsyncGenerator<Result<ArchiveRecord, Unreadable | Blank>> {
  try {
    for await (const line of readLines(input)) {
      yield line.isOk() && line.value.trim() === "" ? err({ code: "blank" }) : line.andThen(readRecord);
    }
  } catch (error) {
    yield err({ code: "cannot_read", reason: systemCode(error) });
  }
}

/** Why a line was rejected. Quotes nothing from the line except field names, which are untrusted too. */
const explain = (error: Unreadable | ImportError): string => {
  switch (error.code) {
    case "cannot_read":
      return "cannot be read";
    case "too_long":
      return `is longer than ${MAX_LINE_LENGTH / 2 ** 20} MiB`;
    case "not_utf8":
      return "is not UTF-8";
    case "invalid_request":
      return printable(
        error.issues.map(({ path, reason }) => `${path.join(".")} ${reason}`.trim()).join("; "),
      );
    case "address_not_allowed":
      return ADDRESS_NOT_ALLOWED[error.reason];
    case "address_taken":
      return "its address is already in use";
    case "differs":
      return "a different record with its id is stored";
    case "alias_not_found":
      return "its alias is not stored";
    case "recipients_ineligible":
      return "some of its recipients are not stored, or not verified and active";
    case "destinations_differ":
      return "its destinations are not the addresses of its recipients, or one is listed twice";
    case "too_many_webhooks":
      return `its account already has ${error.limit} webhooks`;
    case "too_many_api_keys":
      return `its account already has ${error.limit} API keys`;
    case "hash_taken":
      return "another API key has its hash";
    case "unavailable":
      return `the store responds, but failed to store it (${explainCause(error)})`;
  }
};

const ADDRESS_NOT_ALLOWED = {
  not_an_alias_domain: `its domain is not one of ${ENV.aliasDomains}`,
  reserved: "its address has a reserved name; --allow-reserved stores it anyway",
  is_an_alias_domain: `its address is on a domain of ${ENV.aliasDomains}, so mail to it would loop`,
} as const satisfies Record<AddressNotAllowed["reason"], string>;
