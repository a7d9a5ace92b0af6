import { createReadStream } from "node:fs";
import { createInterface } from "node:readline/promises";
import { type ImportError, importRecord, readRecord } from "@postern/archive";
import type { InvalidRequest, Store } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import type { Command } from "./command.ts";
import { progress } from "./progress.ts";
import { withStore } from "./with-store.ts";

export const importing: Command = {
  usage: "import [FILE]",
  meaning:
    "keeps the lines that `export` wrote, from a file or standard input; what is there already is left alone",
  run: async (configuration, [file, ...more]) => {
    if (more.length > 0) return null;
    return withStore(configuration, (store) => importLines(store, file));
  },
};

const importLines = async (store: Store, file: string | undefined): Promise<Result<string, string>> => {
  const input = file === undefined ? process.stdin : createReadStream(file);
  const counted = { kept: 0, present: 0, failed: 0 };
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
        counted.failed += 1;
        process.stderr.write(`line ${line}: ${explain(imported.error)}\n`);
      }
    }
  } catch {
    return err(`${file ?? "standard input"} cannot be read.`);
  }
  count.end();
  const { kept, present, failed } = counted;
  const summary = `${kept} records are kept, ${present} were there already`;
  return failed === 0 ? ok(`${summary}.`) : err(`${summary}, ${failed} were refused.`);
};

const importLine = async (store: Store, text: string) => {
  const record = readRecord(text);
  return record.isErr() ? err(record.error) : importRecord(store, record.value);
};

/** Why a line was refused. Holds nothing of the line but the names of its fields. */
const explain = (error: InvalidRequest | ImportError): string => {
  switch (error.code) {
    case "invalid_request":
      return error.issues.map(({ path, reason }) => `${path.join(".")} ${reason}`.trim()).join("; ");
    case "address_taken":
      return "its address belongs to something else in the store";
    case "differs":
      return "something else of its id is in the store";
    case "recipients_ineligible":
      return "not all of its recipients are in the store, verified and active";
    case "unavailable":
      return "the store did not answer; import again";
  }
};
