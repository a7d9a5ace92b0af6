import { type Fault, strike } from "./fault-proxy-faults.ts";
import { type ForwardingProxy, forwardingProxy, reply } from "./forwarding-proxy.ts";

/** The fault for the next request, of this operation (such as `TransactWriteItems`); null lets it pass. */
export type Plan = (operation: string) => Fault | null;

type Passage = {
  readonly operation: string;
  /** The fault that the request met; null if it passed, including when the planned fault did not apply to it. */
  readonly fault: Fault | null;
  /** Whether DynamoDB received it, or a part of it. */
  readonly forwarded: boolean;
};

export type FaultProxy = ForwardingProxy & {
  /** Every request so far, in the order in which they were completed. */
  readonly passages: readonly Passage[];
  /** Sets the plan from now on. Initially everything passes. */
  follow(plan: Plan): void;
};

/**
 * A proxy between the AWS SDK and DynamoDB at `target`, on a free loopback port. `alter` can change the body of every
 * request that is forwarded.
 */
export const faultProxy = async (
  target: string,
  alter = (body: Buffer, _operation: string): Buffer => body,
): Promise<FaultProxy> => {
  const passages: Passage[] = [];
  let plan: Plan = () => null;
  const proxy = await forwardingProxy(target, async (exchange) => {
    const { operation, outgoing, forward } = exchange;
    const body = alter(exchange.body, operation);
    const fault = plan(operation);
    const struck = fault === null ? null : await strike[fault]({ ...exchange, body });
    if (struck === null) reply(outgoing, await forward(body));
    passages.push({ operation, fault: struck === null ? null : fault, forwarded: struck !== "withheld" });
  });
  return {
    ...proxy,
    passages,
    follow: (next) => {
      plan = next;
    },
  };
};
