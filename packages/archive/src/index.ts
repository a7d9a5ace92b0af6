export { exportRecords } from "./export-records.ts";
export { type ImportError, type Imported, importRecord } from "./import-record.ts";
export { type ArchivedRecipient, type ArchiveRecord, readRecord, writeRecord } from "./record.ts";
