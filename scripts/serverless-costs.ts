import prices from "./aws-prices.json" with { type: "json" };
import { markdownTable } from "./markdown-table.ts";
import { template } from "./serverless/template.ts";

/** The document with the table of what a month costs, between two markers. */
export const SERVERLESS_DOCUMENT = new URL("../docs/serverless.md", import.meta.url);

const TABLE =
  /(?<=^<!-- serverless costs, written by `pnpm serverless-costs` -->\n\n).*?(?=\n\n<!-- serverless costs: end -->$)/ms;

const { usd } = prices;
const MILLION = 1_000_000;
const MINUTES = 30 * 24 * 60;

/** What the document says about the use that it assumes. Per month. */
const ALIASES_OF_ACCOUNT = 50;
const MESSAGES_TO_ALIAS = 10;
const FIRST_MESSAGES_TO_ALIAS = 1;
const REQUESTS_OF_ACCOUNT = 200;
const VERIFICATIONS_OF_ACCOUNT = 2;
/** About what a page of a list costs, the dearest of the frequent requests; one in five is a write. */
const UNITS_OF_REQUEST = { read: 20, write: 1 };
const SECONDS_OF_REQUEST = 0.1;
const SECONDS_OF_IDLE_MINUTE = 0.1;
const UNITS_OF_IDLE_MINUTE = { read: 1, write: 0 };
const LOG_BYTES_OF_CALL = 500;
/** Names and values of their dimensions that occur in every hour. */
const METRICS = 15;
/** 0.57 GB for 100,000 aliases that get mail (docs/dynamodb.md). */
const BYTES_OF_ALIAS = 5_700;
/** Send and Delivery, each sent to the queue, received and deleted. */
const EVENTS_OF_MESSAGE = 2;
const QUEUE_REQUESTS_OF_EVENT = 3;
const GIGABYTES_OF_FUNCTION = 1;
const GB = 1e9;

/** What mail without a server costs besides: what the spool writes (decision 25), and an assumption of how long the function works. */
const WRITES_OF_SPOOL = 26;
const SECONDS_OF_MESSAGE = 0.5;
const GIGABYTES_OF_INBOUND = 2;
const WRITES_OF_IDLE_MINUTE = 4;
/** SES stores each message, the spool stores it again, and each is read once. */
const OBJECTS_OF_MESSAGE = 2;
const METRICS_OF_INBOUND = 3;

/** What a message costs, from the table in docs/dynamodb.md. */
const messageUnits = (dynamodb: string) => {
  const [, ...units] = /^\| in all +\| (\d+) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/m.exec(dynamodb) ?? [];
  const [read = Number.NaN, write = Number.NaN, firstRead = Number.NaN, firstWrite = Number.NaN] =
    units.map(Number);
  return { known: { read, write }, first: { read: firstRead, write: firstWrite } };
};

const count = (type: string, condition?: string): number =>
  Object.values(template.Resources).filter(({ Type, Condition }) => Type === type && Condition === condition)
    .length;

/** US$ for a month of mail that functions receive and send. */
const costOfInbound = (aliases: number): number => {
  const messages = aliases * MESSAGES_TO_ALIAS;
  const calls = messages + MINUTES;
  const seconds = messages * SECONDS_OF_MESSAGE + MINUTES * SECONDS_OF_IDLE_MINUTE;
  // Of the notification, and of what SES reports.
  const queueRequests = messages * QUEUE_REQUESTS_OF_EVENT * (1 + EVENTS_OF_MESSAGE);
  const perMillion =
    calls * usd.aMillionFunctionCalls +
    MINUTES * usd.aMillionSchedules +
    (messages * WRITES_OF_SPOOL + MINUTES * WRITES_OF_IDLE_MINUTE) * usd.aMillionWriteUnits +
    messages * OBJECTS_OF_MESSAGE * (usd.aMillionStoredObjects + usd.aMillionReadObjects) +
    queueRequests * usd.aMillionQueueRequests;
  return (
    perMillion / MILLION +
    // Received, and sent.
    (2 * messages * usd.aThousandMessages) / 1000 +
    seconds * GIGABYTES_OF_INBOUND * usd.aGigabyteSecond +
    METRICS_OF_INBOUND * usd.aMetric +
    count("AWS::CloudWatch::Alarm", "ReceivesMail") * usd.anAlarm
  );
};

/** US$ for a month, by service. */
const costsOf = (aliases: number, dynamodb: string) => {
  const accounts = Math.ceil(aliases / ALIASES_OF_ACCOUNT);
  const requests = accounts * REQUESTS_OF_ACCOUNT;
  const verifications = accounts * VERIFICATIONS_OF_ACCOUNT;
  const events = verifications * EVENTS_OF_MESSAGE;
  const calls = requests + MINUTES + events;
  const { known, first } = messageUnits(dynamodb);
  const units = (kind: "read" | "write") =>
    aliases * (MESSAGES_TO_ALIAS - FIRST_MESSAGES_TO_ALIAS) * known[kind] +
    aliases * FIRST_MESSAGES_TO_ALIAS * first[kind] +
    requests * UNITS_OF_REQUEST[kind] +
    MINUTES * UNITS_OF_IDLE_MINUTE[kind];
  const seconds = (requests + events) * SECONDS_OF_REQUEST + MINUTES * SECONDS_OF_IDLE_MINUTE;
  const gigabytes = (aliases * BYTES_OF_ALIAS) / GB;
  return {
    "API Gateway, HTTP API": (requests / MILLION) * usd.aMillionHttpApiRequests,
    Lambda:
      (calls / MILLION) * usd.aMillionFunctionCalls +
      seconds * GIGABYTES_OF_FUNCTION * usd.aGigabyteSecond +
      (MINUTES / MILLION) * usd.aMillionSchedules,
    "DynamoDB, requests":
      (units("read") * usd.aMillionReadUnits + units("write") * usd.aMillionWriteUnits) / MILLION,
    "DynamoDB, storage and recovery": gigabytes * (usd.aGigabyteInTheTable + usd.aGigabyteOfRecovery),
    "SES and SQS":
      (verifications / 1000) * usd.aThousandMessages +
      ((events * QUEUE_REQUESTS_OF_EVENT) / MILLION) * usd.aMillionQueueRequests,
    Cognito: Math.max(0, accounts - prices.freeSignedInUsers) * usd.aSignedInUserAboveTheFreeOnes,
    "Logs, metrics and alarms":
      ((calls * LOG_BYTES_OF_CALL) / GB) * usd.aGigabyteOfLogs +
      METRICS * usd.aMetric +
      count("AWS::CloudWatch::Alarm") * usd.anAlarm,
    Secrets: count("AWS::SecretsManager::Secret") * usd.aSecret,
  };
};

const SIZES = [10, 10_000, 1_000_000];

/** The document with what a month costs at these prices. */
export const withServerlessCosts = (document: string, dynamodb: string): string => {
  if (!TABLE.test(document)) throw new Error("The document has no markers of its costs");
  const costs = SIZES.map((aliases) => costsOf(aliases, dynamodb));
  const rows = Object.keys(costs[0] ?? {}).map((service) => [
    service,
    ...costs.map((each) => new Map(Object.entries(each)).get(service) ?? 0),
  ]);
  const sums = costs.map((each) => Object.values(each).reduce((sum, cost) => sum + cost, 0));
  const table = markdownTable(
    [
      `US$ a month, ${prices.region}, ${prices.date}`,
      ...SIZES.map((n) => `${n.toLocaleString("en")} aliases`),
    ],
    [...rows, ["in all", ...sums], ["mail without a server, besides", ...SIZES.map(costOfInbound)]].map(
      (cells) => cells.map((cell) => (typeof cell === "number" ? cell.toFixed(2) : cell)),
    ),
  );
  return document.replace(TABLE, () => table);
};
