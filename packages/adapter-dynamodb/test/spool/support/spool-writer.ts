import { S3Client } from "@aws-sdk/client-s3";
import { dynamoClient } from "@postern/adapter-dynamodb";
import { dynamoSpool } from "@postern/adapter-dynamodb/spool";
import { valueOf } from "@postern/core/testing";
import { writeUntilKilled } from "@postern/test-support/spool-writer";

/*
 * A process that writes to a spool (`writeUntilKilled`) until it is killed:
 * node spool-writer.ts DYNAMODB S3 TABLE BUCKET WRITERS AHEAD. Its clock is ahead by that many milliseconds.
 */

const [dynamodb = "", s3 = "", table = "", bucket = "", writers = "1", ahead = "0"] = process.argv.slice(2);
const location = {
  region: "eu-central-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
};
const spool = valueOf(
  await dynamoSpool({
    client: dynamoClient({ ...location, endpoint: dynamodb }, 60_000),
    s3: new S3Client({ ...location, endpoint: s3, forcePathStyle: true }),
    table,
    bucket,
    limit: 2 ** 30,
    clock: { now: () => Date.now() + Number(ahead) },
    onCorruptItem: ({ sk }) => console.error(`corrupt: ${sk}`),
    timeoutMs: 60_000,
  }),
);
await writeUntilKilled(spool, Number(writers));
