import type { Own } from "../account/own.ts";
import type { PortsOf } from "../operation/operation.ts";
import { addRecipient } from "./add-recipient.ts";
import { adoptRecipient } from "./adopt-recipient.ts";
import { deleteRecipient } from "./delete-recipient.ts";
import { getRecipient } from "./get-recipient.ts";
import { listRecipients } from "./list-recipients.ts";
import { releaseMailbox } from "./release-mailbox.ts";
import { resendVerification } from "./resend-verification.ts";
import { suppressMailbox } from "./suppress-mailbox.ts";
import { updateRecipient } from "./update-recipient.ts";
import { verifyRecipient } from "./verify-recipient.ts";

/** What every service does with recipients. */
export type RecipientOperations = ReturnType<typeof recipientOperations>;

export const recipientOperations = (
  ports: PortsOf<
    | typeof addRecipient
    | typeof adoptRecipient
    | typeof verifyRecipient
    | typeof resendVerification
    | typeof suppressMailbox
    | typeof releaseMailbox
    | typeof getRecipient
    | typeof listRecipients
    | typeof updateRecipient
    | typeof deleteRecipient
  >,
  own: Own,
) => ({
  addRecipient: own(addRecipient(ports)),
  adoptRecipient: own(adoptRecipient(ports)),
  verifyRecipient: verifyRecipient(ports),
  resendVerification: own(resendVerification(ports)),
  suppressMailbox: suppressMailbox(ports),
  releaseMailbox: releaseMailbox(ports),
  getRecipient: own(getRecipient(ports)),
  listRecipients: own(listRecipients(ports)),
  updateRecipient: own(updateRecipient(ports)),
  deleteRecipient: own(deleteRecipient(ports)),
});
