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

export const denied = json(400, {
  __type: "com.amazon.coral.service#AccessDeniedException",
  message: "User is not authorized to perform this operation",
});

const ITEM_BUSY = "Transaction is ongoing for the item";

/** Another transaction is in progress on the item of a request that writes one. */
export const itemConflict = json(400, {
  __type: `${DYNAMODB}TransactionConflictException`,
  message: ITEM_BUSY,
});

/** Other transactions are in progress on those items of a transaction for which `busy` is true. */
export const transactionConflict = (busy: readonly boolean[]): ProxyResponse => {
  const reasons = busy.map((is) =>
    is ? { Code: "TransactionConflict", Message: ITEM_BUSY } : { Code: "None" },
  );
  return json(400, {
    __type: `${DYNAMODB}TransactionCanceledException`,
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(", ")}]`,
    CancellationReasons: reasons,
  });
};

const Transaction = z.object({ TransactItems: z.array(z.unknown()).min(1) });

/** The operations that write one item. */
export const ITEM_WRITES: readonly string[] = ["PutItem", "UpdateItem", "DeleteItem"];

/** Another transaction is in progress on the item to be written, or on the last of several. Null for reads. */
export const conflict = (operation: string, body: Buffer): ProxyResponse | null => {
  if (ITEM_WRITES.includes(operation)) return itemConflict;
  if (!operation.startsWith("Transact")) return null;
  const { TransactItems } = Transaction.parse(JSON.parse(body.toString()));
  return transactionConflict(TransactItems.map((_, i) => i === TransactItems.length - 1));
};
