import * as z from "zod";

export type ProxyResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

/** A response in DynamoDB's format. Omits `x-amz-crc32`, which clients check only if it is present. */
const json = (status: number, content: object): ProxyResponse => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "MADE-BY-THE-FAULT-PROXY" },
  body: Buffer.from(JSON.stringify(content)),
});

const DYNAMODB = "com.amazonaws.dynamodb.v20120810#";

export const throttled = json(400, {
  __type: "com.amazon.coral.availability#ThrottlingException",
  message: "Rate exceeded",
});

export const overCapacity = json(400, {
  __type: `${DYNAMODB}ProvisionedThroughputExceededException`,
  message: "The level of configured provisioned throughput for the table was exceeded.",
});

export const internalError = json(500, {
  __type: `${DYNAMODB}InternalServerError`,
  message: "The request processing has failed because of an unknown error",
});

const Transaction = z.object({ TransactItems: z.array(z.unknown()).min(1) });

/** Another transaction is in progress on the item to be written, or on the last of several. Null for reads. */
export const conflict = (operation: string, body: Buffer): ProxyResponse | null => {
  if (["PutItem", "UpdateItem", "DeleteItem"].includes(operation)) {
    return json(400, {
      __type: `${DYNAMODB}TransactionConflictException`,
      message: "Transaction is ongoing for the item",
    });
  }
  if (!operation.startsWith("Transact")) return null;
  const { TransactItems } = Transaction.parse(JSON.parse(body.toString()));
  const reasons = TransactItems.map((_, i) =>
    i < TransactItems.length - 1
      ? { Code: "None" }
      : { Code: "TransactionConflict", Message: "Transaction is ongoing for the item" },
  );
  return json(400, {
    __type: `${DYNAMODB}TransactionCanceledException`,
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(", ")}]`,
    CancellationReasons: reasons,
  });
};
