import { startFauxqs } from "fauxqs";

const REGION = "eu-central-1";
const DEAD = "dead";
const LIVE = "outcomes";
const BUCKET = "mail";
/** As much as it takes at a time, in octets. */
const PART = 10 * 1024 * 1024;

/** A topic of SNS, a queue of SQS that gets its messages, that of its dead letters, and a bucket of S3. The caller must stop them. */
export const startQueues = async ({ attempts = 3, deadLetters = true } = {}) => {
  const aws = await startFauxqs({ port: 0, logger: false, defaultRegion: REGION });
  const { queueArn } = aws.createQueue(DEAD);
  const redrive = JSON.stringify({ deadLetterTargetArn: queueArn, maxReceiveCount: `${attempts}` });
  aws.createQueue(LIVE, {
    // What is not deleted comes back at once.
    attributes: { VisibilityTimeout: "0", ...(deadLetters && { RedrivePolicy: redrive }) },
  });
  aws.createTopic("ses");
  aws.createBucket(BUCKET);
  const origin = `http://127.0.0.1:${aws.port}`;
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "private-key" };
  aws.subscribe({ topic: "ses", queue: LIVE });
  const bodies = (name: string): readonly string[] => {
    const { messages } = aws.inspectQueue(name) ?? { messages: { ready: [], inflight: [] } };
    return [...messages.ready, ...messages.inflight.map(({ message }) => message)].map(({ body }) => body);
  };
  return {
    location: {
      url: `${origin}/000000000000/${LIVE}`,
      region: REGION,
      credentials,
    },
    bucket: { bucket: BUCKET, endpoint: origin, region: REGION, credentials },
    /** Stores an object in a bucket, by default in that one. */
    put: async (key: string, octets: Uint8Array<ArrayBuffer>, bucket = BUCKET) => {
      aws.createBucket(bucket);
      const ask = async (method: string, query: string, body: Uint8Array<ArrayBuffer> | string) => {
        const response = await fetch(`${origin}/${bucket}/${key}${query}`, { method, body });
        if (!response.ok) throw new Error("the object was not stored");
        return response;
      };
      if (octets.length <= PART) return void (await ask("PUT", "", octets));
      const begun = await (await ask("POST", "?uploads", "")).text();
      const [, upload = ""] = /<UploadId>(.+)<\/UploadId>/.exec(begun) ?? [];
      let parts = "";
      for (let at = 0, n = 1; at < octets.length; at += PART, n += 1) {
        const part = octets.subarray(at, at + PART);
        const { headers } = await ask("PUT", `?partNumber=${n}&uploadId=${upload}`, part);
        parts += `<Part><PartNumber>${n}</PartNumber><ETag>${headers.get("etag")}</ETag></Part>`;
      }
      const list = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
      await ask("POST", `?uploadId=${upload}`, list);
    },
    /** The objects in the bucket. */
    keys: async (bucket = BUCKET): Promise<readonly string[]> => {
      const listed = await (await fetch(`${origin}/${bucket}?list-type=2`)).text();
      return [...listed.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => key);
    },
    send: (event: unknown) => {
      aws.sendMessage(LIVE, typeof event === "string" ? event : JSON.stringify(event));
    },
    /** As SES does: the message comes to the queue in the envelope of SNS. */
    publish: (event: unknown) => {
      aws.publish("ses", JSON.stringify(event));
    },
    /** What is in the queue, hidden or not. */
    waiting: () => bodies(LIVE),
    dead: () => bodies(DEAD),
    stop: () => aws.stop(),
  };
};
