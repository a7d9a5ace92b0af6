import { SQSClient, type SQSClientConfig } from "@aws-sdk/client-sqs";
import { type Cause, err, ok, type PortResult, type Unavailable } from "@postern/core";
import { beforeDeadline } from "../before-deadline.ts";
import { reasonOf } from "../cause.ts";

/** A queue of SQS. Omitted settings are resolved as in AWS's own tools; the region is that in the URL, if it names one. */
export type QueueLocation = Pick<SQSClientConfig, "region" | "credentials"> & {
  /** Such as `https://sqs.eu-west-1.amazonaws.com/123456789012/postern-outcomes`. */
  readonly url: string;
};

const CONNECTION_TIMEOUT_MS = 2_000;

const REGION = /(?:^|\.)sqs\.([a-z]{2}(?:-[a-z]+)+-\d{1,2})\./;

export const queueClient = ({ url, ...location }: QueueLocation): SQSClient => {
  const { origin, hostname } = new URL(url);
  const [, region] = REGION.exec(hostname) ?? [];
  const client = new SQSClient({
    ...(region !== undefined && { region }),
    ...location,
    endpoint: origin,
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS },
  });
  // Without a logger too, it copies every input and output, to leave out what must not be logged.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};

export const unavailable = (reason: string): Unavailable => {
  const cause: Cause = { source: "sqs", reason };
  return { code: "unavailable", cause };
};

/** What SQS says before the signal aborts, or why it does not. */
export const asked = async <T>(
  signal: AbortSignal,
  ask: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
): PortResult<T> => {
  try {
    return ok(await beforeDeadline(signal, ask({ abortSignal: signal })));
  } catch (error) {
    return err(unavailable(signal.aborted ? "no response before the deadline" : reasonOf(error)));
  }
};
