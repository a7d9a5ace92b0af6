import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { type Cause, err, ok, type Result, type Unavailable } from "@postern/core";
import { BodyGone, type MailBody } from "@postern/mail";
import { nameOf } from "../cause.ts";
import { beforeDeadline, deadline } from "../send-until-deadline.ts";

/** An object of S3 with a message: its header, a blank line, and its body. */
export type StoredObject = {
  /** The key of the object, without the prefix. */
  readonly name: string;
  /** The size of the header, in octets. */
  readonly header: number;
  readonly body: number;
};

const CRLF = "\r\n";

/** How much of a body is in memory while it is read, in octets. */
const BLOCK = 2 ** 20;
const CHUNK = 64 * 1024;

/** The most that S3 lists or deletes at a time. */
const PAGE = 1_000;

/** How much of the headers that were used last is remembered, in characters. */
const REMEMBERED = 4 * 2 ** 20;

/** Recently used headers by the names of their objects. */
const headerCache = () => {
  const headers = new Map<string, string>();
  let size = 0;
  const remove = (name: string) => {
    size -= headers.get(name)?.length ?? 0;
    headers.delete(name);
  };
  return {
    get: (name: string) => headers.get(name),
    remove,
    add: (name: string, header: string) => {
      remove(name);
      headers.set(name, header);
      size += header.length;
      for (const first of headers.keys()) {
        if (size <= REMEMBERED) return;
        remove(first);
      }
    },
  };
};

/** The object with this header and body, in octets. */
export const octetsOf = (header: string, body: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(header + CRLF, "latin1"), body]);

const because = (reason: string): Unavailable => {
  const cause: Cause = { source: "s3", reason };
  return { code: "unavailable", cause };
};

/** The objects of a spool in a bucket, under a prefix. Every request ends at its deadline; until then, the client repeats it. */
export const objectsIn = (s3: S3Client, Bucket: string, prefix: string, timeoutMs: number) => {
  const headers = headerCache();

  const asked = async <T>(
    signal: AbortSignal,
    ask: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<Result<T, Unavailable>> => {
    try {
      return ok(await beforeDeadline(signal, ask({ abortSignal: signal })));
    } catch (error) {
      return err(because(signal.aborted ? "no response before the deadline" : nameOf(error)));
    }
  };

  /** The octets of the object from `start` to before `end`; null if they are gone. */
  const range = (name: string, start: number, end: number, signal: AbortSignal) =>
    asked(signal, async (options) => {
      const command = new GetObjectCommand({
        Bucket,
        Key: prefix + name,
        Range: `bytes=${start}-${end - 1}`,
      });
      try {
        const { Body } = await s3.send(command, options);
        const octets = await Body?.transformToByteArray();
        return octets?.length === end - start ? octets : null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    });

  return {
    put: async (
      { name, header }: StoredObject,
      octets: Uint8Array,
      signal: AbortSignal,
    ): Promise<Result<void, Unavailable>> => {
      const command = new PutObjectCommand({ Bucket, Key: prefix + name, Body: octets });
      const sent = await asked(signal, (options) => s3.send(command, options));
      if (sent.isOk()) headers.add(name, Buffer.from(octets.subarray(0, header)).toString("latin1"));
      return sent.map(() => undefined);
    },

    /** The header of the message; null if the object is gone. */
    header: async (
      { name, header }: StoredObject,
      signal: AbortSignal,
    ): Promise<Result<string | null, Unavailable>> => {
      const known = header === 0 ? "" : headers.get(name);
      if (known !== undefined) return ok(known);
      const octets = await range(name, 0, header, signal);
      return octets.map((found) => {
        const text = found && Buffer.from(found).toString("latin1");
        if (text !== null) headers.add(name, text);
        return text;
      });
    },

    /** The body of the message, of which 1 MiB at a time is in memory; each has the time limit of a call. */
    body: (object: StoredObject | null): MailBody => ({
      size: object?.body ?? 0,
      read: async function* () {
        if (object === null) throw new BodyGone();
        const { name, header, body } = object;
        const end = header + CRLF.length + body;
        // Begins with the blank line, so that the absence of an empty body is noticed too.
        for (let at = header; at < end; at += BLOCK) {
          const read = await range(name, at, Math.min(at + BLOCK, end), deadline(timeoutMs));
          if (read.isErr()) throw new Error(read.error.cause?.reason);
          if (read.value === null) throw new BodyGone();
          const block = at === header ? read.value.subarray(CRLF.length) : read.value;
          for (let start = 0; start < block.length; start += CHUNK)
            yield block.subarray(start, start + CHUNK);
        }
      },
    }),

    /** Deletes what no message leads to any more. What fails is left to `list`. */
    remove: async (names: readonly string[]): Promise<void> => {
      for (const name of names) headers.remove(name);
      for (let at = 0; at < names.length; at += PAGE) {
        const Objects = names.slice(at, at + PAGE).map((name) => ({ Key: prefix + name }));
        const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
        await asked(deadline(timeoutMs), (options) => s3.send(command, options));
      }
    },

    /** Up to 1,000 names of objects, in their order. */
    list: async (after: string): Promise<Result<readonly string[], Unavailable>> => {
      const StartAfter = after === "" ? undefined : prefix + after;
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter, MaxKeys: PAGE });
      const listed = await asked(deadline(timeoutMs), (options) => s3.send(command, options));
      return listed.map(({ Contents = [] }) => Contents.map(({ Key = "" }) => Key.slice(prefix.length)));
    },
  };
};

export type Objects = ReturnType<typeof objectsIn>;
