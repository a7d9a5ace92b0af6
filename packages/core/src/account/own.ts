import { err, ok } from "neverthrow";
import type { AccountSuspended, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Admission, admitted, type Operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { RememberedSuspensions } from "./remembered-suspensions.ts";

/** Makes an operation one that an account performs itself: a suspended account cannot perform it. */
export type Own = <Input extends { readonly account: string }, Value, Failure>(
  operation: Operation<Input, Value, Failure>,
) => Operation<Input, Value, Failure | AccountSuspended | Unavailable | InvalidRequest>;

export const ownOperations = (
  suspensions: Pick<RememberedSuspensions, "isKnownActive" | "find">,
  timing: Timing,
): Own => {
  const admission: Admission<AccountSuspended | Unavailable> = {
    isAdmitted: suspensions.isKnownActive,
    admit: async (account, timeLeft) => {
      const suspendedSince = await suspensions.find(account, timeLeft());
      if (suspendedSince.isErr()) return err(suspendedSince.error);
      return suspendedSince.value === null ? ok() : err({ code: "account_suspended" });
    },
  };
  return (operation) => admitted(operation, admission, timing);
};
