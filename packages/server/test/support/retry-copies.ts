import { sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";

/* Makes all queued copies of the spool in this directory due now, for a test that does not see its disk. Prints how many there are. */

const [path = ""] = process.argv.slice(2);
const spool = valueOf(await sqliteSpool({ path, limit: 0, alongside: true }));
const { items } = valueOf(await spool.list({ limit: 1_000, after: null }));
for (const { id } of items) valueOf(await spool.retry(id, Date.now()));
await spool.close();
console.log(items.length);
