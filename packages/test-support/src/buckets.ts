import { randomUUID } from "node:crypto";
import type { S3ClientConfig } from "@aws-sdk/client-s3";
import { startFauxqs } from "fauxqs";

const REGION = "eu-central-1";

/** S3 in this process, in memory, on a loopback port. The caller must stop it. */
export const startBuckets = async () => {
  const aws = await startFauxqs({ port: 0, logger: false, defaultRegion: REGION });
  const endpoint = `http://127.0.0.1:${aws.port}`;
  return {
    endpoint,
    location: {
      endpoint,
      region: REGION,
      credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "private-key" },
      // Without a domain of its own for each bucket.
      forcePathStyle: true,
    } satisfies S3ClientConfig,
    /** Creates an empty bucket with a new name, and returns the name. */
    newBucket: (): string => {
      const name = `postern-${randomUUID()}`;
      aws.createBucket(name);
      return name;
    },
    stop: () => aws.stop(),
  };
};
