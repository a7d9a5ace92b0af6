import { startPostgres } from "./postgres.ts";

/* Runs PostgreSQL, sends its port to the parent process, and stops when that process ends for any reason. */

const postgres = await startPostgres();
process.on("disconnect", postgres.stop);
process.send?.({ port: postgres.port });
