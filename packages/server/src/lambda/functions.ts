import { webhookEventJson } from "@postern/adapter-http";
import { type LambdaHandler, lambdaHandler } from "@postern/adapter-lambda";
import { outcomesHandler, type SqsBatchResponse } from "@postern/adapter-ses/outcomes";
import { webhookSender } from "@postern/adapter-webhooks";
import type { EventOutcome, VerificationMail } from "@postern/core";
import type { ConfigurationProblem, Environment } from "../configuration/configuration.ts";
import { arnVariable, ENV } from "../configuration/names.ts";
import { eventSendingOf } from "../serve/composition/event-sending.ts";
import { outcomePorts } from "../serve/composition/outcome-ports.ts";
import { posternOf, rateLimitOf, shownBy } from "../serve/composition/service.ts";
import { accountTags } from "../serve/observability/account-tag.ts";
import { newSynchronousLogger } from "../serve/observability/logger.ts";
import { measuredMail } from "../serve/observability/measured-mail.ts";
import { measuredStore } from "../serve/observability/measured-store.ts";
import { observer } from "../serve/observability/observer.ts";
import { unreadDynamodb } from "../stores/dynamodb.ts";
import { emfMetrics } from "./emf-metrics.ts";
import { type FunctionConfiguration, readFunctionConfiguration } from "./function-configuration.ts";
import { invocations } from "./invocations.ts";
import { type EventsSummary, sendEvents } from "./send-events.ts";
import { withSecrets } from "./with-secrets.ts";

type Context = Parameters<LambdaHandler>[1];

type Functions = {
  /** Answers requests, which are events of API Gateway. */
  readonly api: LambdaHandler;
  /** Sends events to webhooks, whatever its own event says. To be invoked every minute, by any number of schedules. */
  readonly events: (event: unknown, context: Context) => Promise<EventsSummary>;
  /**
   * Takes in mail that SES has received, whose notifications are messages of a queue, and sends what is due, whatever its own event says.
   */
  readonly inbound: (event: unknown, context: Context) => Promise<SqsBatchResponse>;
  /** Stores what SES reports about mail, which are messages of a queue. */
  readonly outcomes: (event: unknown, context: Context) => Promise<SqsBatchResponse>;
};

const NOTHING_SENT: Readonly<Record<EventOutcome, number>> = { delivered: 0, failed: 0, expired: 0 };

/** What sends verification mail, loaded with the first message. */
const mailOf = (configuration: FunctionConfiguration): VerificationMail => {
  let opened: Promise<VerificationMail> | undefined;
  const open = async () => {
    const { verificationMail } = await import("./verification-mail.ts");
    return verificationMail(configuration);
  };
  return {
    send: async (message) => {
      opened ??= open();
      return (await opened).send(message);
    },
  };
};

/** What receives mail, loaded with the first invocation. */
const inboundOf = (
  configuration: FunctionConfiguration,
  ports: Parameters<typeof import("./inbound.ts").inbound>[2],
): Functions["inbound"] => {
  const { inbound: settings } = configuration;
  let opened: Promise<Functions["inbound"]> | undefined;
  const open = async (given: NonNullable<typeof settings>) => {
    const { inbound } = await import("./inbound.ts");
    return inbound(configuration, given, ports);
  };
  return async (event, context) => {
    if (settings === undefined)
      throw new Error(`${ENV.mailBucket} is required in a function that receives mail`);
    opened ??= open(settings);
    return (await opened)(event, context);
  };
};

const functionsOf = (configuration: FunctionConfiguration): Functions => {
  const { linkSecrets, identity, requiredClaim, redisUrl, dns, unused, warnings } = configuration;
  const { logger, write } = newSynchronousLogger(configuration.logLevel);
  if (unused.length > 0) logger.warn({ variables: unused }, "functions do not use these variables");
  for (const warning of warnings) logger.warn(warning);

  const { metrics, flush } = emfMetrics(write);
  const tag = accountTags(linkSecrets[0]);
  const { client, store: unmeasured } = unreadDynamodb(configuration, logger);
  const store = measuredStore(unmeasured, metrics);
  const webhookSending = configuration.webhooks
    ? webhookSender({ format: webhookEventJson, dns: dns ?? null })
    : null;
  const invoked = invocations({ dropConnections: () => client.destroy(), flush });

  const postern = posternOf(
    store,
    measuredMail(mailOf(configuration), { logger, metrics, tag }),
    webhookSending,
    metrics,
    logger,
    configuration,
  );
  const api = lambdaHandler({
    ...shownBy(configuration),
    postern,
    ...identity,
    requiredClaim,
    observer: observer(logger, metrics, tag, configuration),
    logger,
    rateLimit: redisUrl === undefined ? "gateway" : { ...rateLimitOf(configuration, metrics), redisUrl },
    basePath: new URL(configuration.publicUrl).pathname.replace(/\/$/, ""),
  });

  let sent = NOTHING_SENT;
  const webhookEvent = (outcome: EventOutcome): void => {
    sent = { ...sent, [outcome]: sent[outcome] + 1 };
    metrics.webhookEvent(outcome);
  };
  const sending =
    webhookSending &&
    eventSendingOf(configuration, { store, logger, metrics: { webhookEvent }, webhookSending });
  const events: Functions["events"] = async (_event, context) => {
    sent = NOTHING_SENT;
    const timeLeft = () => context.getRemainingTimeInMillis();
    const turns = sending === null ? 0 : await sendEvents(sending.events, timeLeft, sending.unreported);
    const summary = { turns, ...sent };
    logger.info(summary, "events sent");
    return summary;
  };

  const outcomes = outcomesHandler(outcomePorts(configuration, { store, postern, logger, metrics }));

  const inbound = inboundOf(configuration, { store, logger, metrics: metrics.mail });

  return {
    api: invoked(api),
    events: invoked(events),
    inbound: invoked(inbound),
    outcomes: invoked(outcomes),
  };
};

/** Writes to the log why there are no functions. */
const failure = (message: string): Error => {
  newSynchronousLogger("info").logger.fatal(message);
  return new Error(message);
};

/** Functions that only say what is wrong: a process that ends would be started again and again, and say less. */
const refusing = (problems: readonly ConfigurationProblem[], given: Environment): Functions => {
  const reasons = problems.map(({ variable, problem }) =>
    given[arnVariable(variable)]
      ? `${arnVariable(variable)} names a secret whose value ${problem}`
      : `${variable} ${problem}`,
  );
  const error = failure(`The configuration is invalid: ${reasons.join("; ")}`);
  const refuse = async () => {
    throw error;
  };
  return { api: refuse, events: refuse, inbound: refuse, outcomes: refuse };
};

/**
 * The functions on AWS Lambda that these environment variables configure. Reads the secrets that they name, and opens no other connections.
 * If something is wrong with the variables, a line of the log says what, and each invocation fails with that. If a secret cannot be read,
 * likewise, but each invocation tries again.
 */
export const functions = (environment: Environment): Functions => {
  const load = async (): Promise<Functions> => {
    const read = await withSecrets(environment);
    if (read.isErr()) throw failure(read.error);
    return readFunctionConfiguration(read.value).match(functionsOf, (problems) =>
      refusing(problems, environment),
    );
  };
  let loading = load();
  // The first invocation tries again, and fails if that does.
  loading.catch(() => {});
  const loaded = (): Promise<Functions> => {
    loading = loading.catch(load);
    return loading;
  };
  return {
    api: async (event, context) => (await loaded()).api(event, context),
    events: async (event, context) => (await loaded()).events(event, context),
    inbound: async (event, context) => (await loaded()).inbound(event, context),
    outcomes: async (event, context) => (await loaded()).outcomes(event, context),
  };
};
