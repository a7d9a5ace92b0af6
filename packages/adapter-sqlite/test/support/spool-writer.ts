import { sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { writeUntilKilled } from "@postern/test-support/spool-writer";

/*
 * A process that writes to the spool in the directory named by its first argument (`writeUntilKilled`), with as many concurrent writers as
 * its second argument says, until it is killed or, with a third argument, until that many calls have failed.
 */

const [path = "", writers = "1", failing] = process.argv.slice(2);
const spool = valueOf(await sqliteSpool({ path, limit: 2 ** 30 }));
await writeUntilKilled(spool, Number(writers), failing === undefined ? undefined : Number(failing));
await spool.close();
