import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { type DynamoSpool, type DynamoSpoolOptions, dynamoSpool } from "@postern/adapter-dynamodb/spool";
import { valueOf } from "@postern/core/testing";
import { startBuckets } from "@postern/test-support/buckets";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { useDynamoDb } from "../../support/use-dynamodb.ts";

/** Where a spool is. */
export type Place = { readonly table: string; readonly bucket: string };

const LIMIT = 10_000_000;

/** A clock that tests move on. */
export const movableClock = () => {
  let now = Date.now();
  return {
    now: () => now,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
};

/** More than a lease lasts. */
export const LONG = 120_000;

/** DynamoDB Local and S3 for all tests of a file. Both exist only within hooks and tests. */
export const useSpools = () => {
  const { dynamo, documents } = useDynamoDb();
  let buckets: Awaited<ReturnType<typeof startBuckets>>;
  let s3: S3Client;
  beforeAll(async () => {
    buckets = await startBuckets();
    s3 = new S3Client(buckets.location);
  });
  afterAll(async () => {
    s3.destroy();
    await buckets.stop();
  });

  const newPlace = async (): Promise<Place> => ({
    table: await dynamo().newTable(),
    bucket: buckets.newBucket(),
  });

  const open = (place: Place, options: Partial<DynamoSpoolOptions> = {}) =>
    dynamoSpool({
      client: dynamo().client(),
      s3,
      limit: LIMIT,
      clock: Date,
      onCorruptItem: ({ sk }) => expect.unreachable(`the item at ${sk} is corrupt`),
      // What is nothing for DynamoDB is a lot for DynamoDB Local.
      timeoutMs: 60_000,
      ...place,
      ...options,
    });

  return {
    dynamo,
    documents,
    buckets: () => buckets,
    newPlace,
    open,
    /** A spool that is closed when the test has finished. */
    openSpool: async (place: Place, options: Partial<DynamoSpoolOptions> = {}): Promise<DynamoSpool> => {
      const spool = valueOf(await open(place, options));
      onTestFinished(() => spool.close());
      return spool;
    },
    /** The keys of all objects in the bucket. */
    objects: async ({ bucket }: Place): Promise<readonly string[]> => {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.map(({ Key = "" }) => Key);
    },
  };
};
