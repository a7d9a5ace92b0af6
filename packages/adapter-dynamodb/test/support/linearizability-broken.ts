import * as z from "zod";

const Write = z.looseObject({
  Key: z.object({ pk: z.unknown(), sk: z.object({ S: z.string() }) }),
  ConditionExpression: z.string(),
});
const Transaction = z.looseObject({ TransactItems: z.array(z.looseObject({ Update: Write.optional() })) });

/** Changes a transaction so that it ignores which version of an alias is stored; leaves other requests unchanged. */
export const withoutVersionCondition = (body: Buffer, operation: string): Buffer => {
  if (operation !== "TransactWriteItems") return body;
  const transaction = Transaction.parse(JSON.parse(body.toString()));
  const items = transaction.TransactItems.map((item) => {
    const { Update: update } = item;
    if (!update?.Key.sk.S.startsWith("alias#")) return item;
    const ConditionExpression = update.ConditionExpression.replace(
      "version = :before",
      "$& OR version > :before",
    );
    return { ...item, Update: { ...update, ConditionExpression } };
  });
  return Buffer.from(JSON.stringify({ ...transaction, TransactItems: items }));
};
