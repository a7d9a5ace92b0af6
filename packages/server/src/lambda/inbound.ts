import { setTimeout } from "node:timers/promises";
import { dynamoClient } from "@postern/adapter-dynamodb";
import { type DynamoSpool, dynamoSpool, type SpoolInUse, s3Client } from "@postern/adapter-dynamodb/spool";
import { sesRelay } from "@postern/adapter-ses";
import { leaveInQueue } from "@postern/adapter-ses/inbound";
import { ok, type PortResult, type Store } from "@postern/core";
import type { MailSigner } from "@postern/mail";
import { systemClock } from "@postern/node";
import type { Configuration } from "../configuration/configuration.ts";
import type { LogLines } from "../serve/observability/log.ts";
import type { MailMeasurements } from "../serve/observability/mail-metrics.ts";
import { dynamoLocation } from "../stores/dynamo-location.ts";
import { causeText } from "../system/cause-text.ts";
import type { FunctionConfiguration } from "./function-configuration.ts";
import { isBatch, NO_FAILURES, openInbound } from "./open-inbound.ts";
import { SPOOL_PREFIX } from "./spool-prefix.ts";

/* Loaded with the first message: no other function needs it. */

/** Each message that is sent is in memory as a whole, more than once. */
const COPIES_AT_ONCE = 5;

/** What an invocation keeps for its work while it waits for another one, in milliseconds. */
const FOR_WORK_MS = 100_000;
const PAUSE_MS = 1_000;

/** SES signs what it sends, and would break other signatures (decision 13). */
const signer: MailSigner = { sign: async ({ header, body }) => ok({ header, body }) };

/** For a request to the table, of which a response can have a megabyte. */
const REQUEST_TIMEOUT_MS = 5_000;

type Inbound = ReturnType<typeof openInbound>;
type Opened = { readonly spool: DynamoSpool; readonly handle: Inbound };

/**
 * The function `inbound`, on a spool that its instances have in turns. A batch waits for its turn, and stays in the queue if that does not
 * come in time; what the schedule invokes has nothing to do while another instance works.
 */
export const inbound = (
  configuration: FunctionConfiguration,
  { bucket, table, spoolLimit, ...mailPlane }: NonNullable<Configuration["inbound"]>,
  {
    logger,
    ...ports
  }: {
    readonly store: Store;
    readonly logger: LogLines;
    readonly metrics: MailMeasurements;
  },
): Inbound => {
  const location = configuration.awsRegion === undefined ? {} : { region: configuration.awsRegion };
  const [client, s3] = [dynamoClient(dynamoLocation(configuration), REQUEST_TIMEOUT_MS), s3Client(location)];
  const relay = sesRelay(configuration.ses);
  const onCorruptItem = ({ pk, sk }: { readonly pk: string; readonly sk: string }) =>
    logger.error({ table, partitionKey: pk, sortKey: sk }, "item cannot be decoded");

  const open = async (): PortResult<Opened, SpoolInUse> => {
    const place = { client, table, s3, bucket, prefix: SPOOL_PREFIX };
    const spool = await dynamoSpool({ ...place, limit: spoolLimit, clock: systemClock, onCorruptItem });
    return spool.map((spool) => {
      const received = { ...location, bucket };
      const planePorts = { ...ports, spool, relay, signer, copiesAtOnce: COPIES_AT_ONCE };
      const handle = openInbound(
        { ...configuration, mailPlane },
        { ...planePorts, logger, bucket: received },
      );
      return { spool, handle };
    });
  };
  let opened: Opened | undefined;
  const hold = async (): PortResult<Opened, SpoolInUse> => {
    if (opened === undefined) return open();
    const held = opened;
    return (await held.spool.hold()).map(() => held);
  };

  const inTurn: Inbound = async (event, context) => {
    for (;;) {
      const held = await hold();
      if (held.isOk()) {
        opened = held.value;
        try {
          return await opened.handle(event, context);
        } finally {
          await opened.spool.release();
        }
      }
      if (held.error.code === "unavailable")
        throw new Error(`The spool is unavailable: ${causeText(held.error.cause)}`);
      if (!isBatch(event)) return NO_FAILURES;
      // Under load, some wait in vain all the time.
      if (context.getRemainingTimeInMillis() < FOR_WORK_MS) return leaveInQueue(event);
      await setTimeout(PAUSE_MS);
    }
  };
  return async (event, context) => {
    try {
      return await inTurn(event, context);
    } finally {
      // Connections do not survive a freeze.
      for (const each of [client, s3]) each.destroy();
    }
  };
};
