import type { PortsOf } from "../operation/operation.ts";
import { resumeAccount } from "./resume-account.ts";
import { suspendAccount } from "./suspend-account.ts";

/** What a service does if its store has `suspensions`. */
export type SuspensionOperations = ReturnType<typeof suspensionOperations>;

export const suspensionOperations = (ports: PortsOf<typeof suspendAccount | typeof resumeAccount>) => ({
  suspendAccount: suspendAccount(ports),
  resumeAccount: resumeAccount(ports),
});
