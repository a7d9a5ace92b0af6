import { Readable } from "node:stream";
import { DeleteObjectCommand, GetObjectCommand, S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { type Cause, err, ok, type PortResult, type Unavailable } from "@postern/core";
import { beforeDeadline } from "../before-deadline.ts";
import { reasonOf } from "../cause.ts";
import { NEW_CONNECTIONS } from "../new-connections.ts";

/** A bucket of S3. Omitted settings are resolved as in AWS's own tools. */
export type BucketLocation = Pick<S3ClientConfig, "endpoint" | "region" | "credentials"> & {
  /** The name of the bucket. */
  readonly bucket: string;
};

export type StoredMessages = {
  /** The octets of a message, which can be read once; null if there is no such object. Reading throws if it takes more than a minute. */
  read(key: string): PortResult<AsyncIterable<Uint8Array> | null>;
  /** Removes a message. Idempotent. */
  remove(key: string): PortResult<void>;
};

const READ_MS = 60_000;
const REMOVE_MS = 5_000;

/** What the object of a receipt rule with a KMS key has in its metadata. */
const ENCRYPTED = ["x-amz-key-v2", "x-amz-key"];

const unavailable = (reason: string): Unavailable => {
  const cause: Cause = { source: "s3", reason };
  return { code: "unavailable", cause };
};

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === "NoSuchKey";

/**
 * The messages in a bucket. Each request has a connection of its own, so it does not matter how long the process was frozen between two.
 */
export const storedMessages = ({ bucket: Bucket, ...location }: BucketLocation): StoredMessages => {
  const client = new S3Client({
    ...location,
    // Otherwise the bucket would be part of the host's name.
    forcePathStyle: location.endpoint !== undefined,
    requestHandler: NEW_CONNECTIONS,
  });
  // Without a logger too, it copies every input and output, to leave out what must not be logged.
  client.middlewareStack.remove("loggerMiddleware");

  const failure = (thrown: unknown, signal: AbortSignal): Unavailable =>
    unavailable(signal.aborted ? "no response before the deadline" : reasonOf(thrown));

  return {
    read: async (Key) => {
      const signal = AbortSignal.timeout(READ_MS);
      try {
        // The signal ends the stream, too.
        const asked = client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal: signal });
        const { Body, Metadata = {} } = await beforeDeadline(signal, asked);
        // Otherwise it would be discarded, as a message that nobody can read.
        if (ENCRYPTED.some((name) => name in Metadata))
          return err(unavailable("an object that SES has encrypted"));
        return Body instanceof Readable ? ok(Body) : err(unavailable("a response without a stream"));
      } catch (thrown) {
        return isMissing(thrown) ? ok(null) : err(failure(thrown, signal));
      }
    },
    remove: async (Key) => {
      const signal = AbortSignal.timeout(REMOVE_MS);
      try {
        const asked = client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal: signal });
        await beforeDeadline(signal, asked);
        return ok();
      } catch (thrown) {
        return err(failure(thrown, signal));
      }
    },
  };
};
