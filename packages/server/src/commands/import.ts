import { createReadStream } from "node:fs";
import { createInterface } from "node:readline/promises";
import { type ImportError, importRecord, readRecord } from "@postern/archive";
import { err, type InvalidRequest, ok, type Result, type Store } from "@postern/core";
import type { Command } from "./command.ts";
import { progress } from "./progress.ts";
import { withStore } from "./with-store.ts";

export const importCommand: Command = {
  usage: "import [FILE]",
  meaning:
    "stores what `export` wrote, from a file or standard input; safe to repeat: stored records are skipped",
  run: async (configuration, [file, ...more]) => {
    if (more.length > 0) return null;
    return withStore(configuration, "create", (store) => importLines(store, file));
  },
};

const importLines = async (store: Store, file: string | undefined): Promise<Result<string, string>> => {
  const input = file === undefined ? process.stdin : createReadStream(file);
  const counted = { stored: 0, present: 0, rejected: 0 };
  const count = progress("lines");
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      line += 1;
      count.one();
      if (text.trim() === "") continue;
      const imported = await importLine(store, text);
      if (imported.isOk()) counted[imported.value] += 1;
      else {
        counted.rejected += 1;
        process.stderr.write(`line ${line}: ${explain(imported.error)}\n`);
      }
    }
  } catch {
    return err(`Cannot read ${file ?? "standard input"}.`);
  }
  count.end();
  const { stored, present, rejected } = counted;
  const summary = `Records imported: ${stored}, already stored: ${present}, rejected: ${rejected}.`;
  return rejected === 0 ? ok(summary) : err(summary);
};

const importLine = async (store: Store, text: string) => {
  const record = readRecord(text);
  return record.isErr() ? err(record.error) : importRecord(store, record.value);
};

/** Why a line was rejected. Quotes nothing from the line except field names. */
const explain = (error: InvalidRequest | ImportError): string => {
  switch (error.code) {
    case "invalid_request":
      return error.issues.map(({ path, reason }) => `${path.join(".")} ${reason}`.trim()).join("; ");
    case "address_taken":
      return "its address is already in use";
    case "differs":
      return "a different record with its id is stored";
    case "recipients_ineligible":
      return "some of its recipients are not stored, or not verified and active";
    case "unavailable":
      return "the store did not respond; import again";
  }
};
