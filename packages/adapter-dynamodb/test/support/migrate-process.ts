import { migrateTable } from "@postern/adapter-dynamodb";

/* Migrates a table in a process of its own, which a test can kill: node migrate-process.ts ENDPOINT TABLE */

const [, , endpoint = "", table = ""] = process.argv;
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const migrated = await migrateTable({ endpoint, region: "eu-central-1", credentials }, table);
process.exitCode = migrated.isOk() ? 0 : 1;
