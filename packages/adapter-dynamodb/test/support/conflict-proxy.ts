import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { ITEM_WRITES, itemConflict, transactionConflict } from "./fault-proxy-responses.ts";
import { type Exchange, type ForwardingProxy, forwardingProxy, reply } from "./forwarding-proxy.ts";

/*
 * DynamoDB Local completes each transaction before it begins the next one, so transactions never conflict there. In AWS a
 * transaction occupies its items for some milliseconds, conditions included, and any other write to one of them in that time
 * is refused.
 */

const Attributes = z.record(z.string(), z.unknown());
const Part = z.object({ Key: Attributes.optional(), Item: Attributes.optional() });
/** Put, Update, Delete or ConditionCheck. */
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), Part)) });

export type ConflictProxy = ForwardingProxy & {
  /** How many write requests have passed, and how many have met a conflict. */
  readonly counts: { passed: number; conflicts: number };
  /** The keys of the items that writes have found occupied. */
  readonly conflicts: readonly string[];
};

/**
 * A proxy between the AWS SDK and DynamoDB at `target`. Each transaction that writes occupies its items until the promise of `hold` has
 * resolved, or for that many milliseconds, and is answered no earlier; another write to one of them is refused as in AWS, and not forwarded. How long
 * DynamoDB Local itself takes makes no difference, so that a busy machine does not cause more conflicts.
 *
 * @param keyNames the attributes of the tables' keys
 */
export const conflictProxy = async (
  target: string,
  hold: number | (() => Promise<unknown>),
  keyNames: readonly string[] = ["pk", "sk"],
): Promise<ConflictProxy> => {
  const occupied = new Set<string>();
  const counts = { passed: 0, conflicts: 0 };
  const conflicts: string[] = [];

  const keyOf = ({ Key, Item }: z.output<typeof Part>): string => {
    const attributes = Key ?? Item ?? {};
    return JSON.stringify(keyNames.map((name) => attributes[name]));
  };

  const write = async (
    { body, outgoing, forward }: Exchange,
    keys: readonly string[],
    isTransaction: boolean,
  ): Promise<void> => {
    const busy = keys.map((key) => occupied.has(key));
    if (busy.includes(true)) {
      counts.conflicts += 1;
      conflicts.push(...keys.filter((_, i) => busy[i]));
      reply(outgoing, isTransaction ? transactionConflict(busy) : itemConflict);
      return;
    }
    counts.passed += 1;
    if (!isTransaction) {
      reply(outgoing, await forward(body));
      return;
    }
    for (const key of keys) occupied.add(key);
    const held = (typeof hold === "number" ? setTimeout(hold) : hold()).then(() => {
      for (const key of keys) occupied.delete(key);
    });
    const response = await forward(body);
    await held;
    reply(outgoing, response);
  };

  const proxy = await forwardingProxy(target, async (exchange) => {
    const { operation, body, outgoing, forward } = exchange;
    const sent = JSON.parse(body.toString());
    if (operation === "TransactWriteItems") {
      const keys = Transaction.parse(sent).TransactItems.flatMap((item) => Object.values(item).map(keyOf));
      return write(exchange, keys, true);
    }
    if (ITEM_WRITES.includes(operation)) return write(exchange, [keyOf(Part.parse(sent))], false);
    reply(outgoing, await forward(body));
  });
  return { ...proxy, counts, conflicts };
};
