export { exportRecords } from "./export-records.ts";
export { type ImportError, type Imported, importRecord } from "./import-record.ts";
export { type ImportStore, importRecords } from "./import-records.ts";
export type { ImportRules } from "./import-rules.ts";
export { MAX_LINE_LENGTH, readLines, type UnreadableLine } from "./read-lines.ts";
export {
  type ArchivedLedgerEntry,
  type ArchivedRecipient,
  type ArchivedSuspension,
  type ArchiveRecord,
  readRecord,
  writeRecord,
} from "./record.ts";
