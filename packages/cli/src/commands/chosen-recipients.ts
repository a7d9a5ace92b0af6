import type { Schemas, ThrowingClient } from "@postern/client";
import { recipientsOf } from "../names.ts";
import { printable } from "../output/printable.ts";
import { Stop } from "../stop.ts";
import { atLeastOne } from "./command.ts";

/** A recipient as the person has named it, for the API and for messages. */
type Chosen = Pick<Schemas["Recipient"], "recipient_id" | "recipient_email">;

/** The recipients with these ids or addresses. Ids alone are not looked up: not everybody who may choose recipients may list them. */
export const chosenRecipients = async (
  client: ThrowingClient,
  names: readonly string[],
): Promise<readonly Chosen[]> =>
  names.some((name) => name.includes("@"))
    ? recipientsOf(client, names)
    : names.map((id) => ({ recipient_id: id, recipient_email: id }));

export const idsOf = (recipients: readonly Chosen[]) =>
  atLeastOne(
    recipients.map(({ recipient_id }) => recipient_id),
    "recipient",
  );

/** Names the recipients that cannot receive mail as the person did: the API only knows their ids. */
export const naming = async <T>(recipients: readonly Chosen[], call: Promise<T>): Promise<T> => {
  try {
    return await call;
  } catch (error) {
    const { ClientError } = await import("@postern/client");
    if (!(error instanceof ClientError) || error.problem.code !== "recipients_ineligible") throw error;
    const lines = (error.problem.recipients ?? []).map(({ id, reason }) => {
      const recipient = recipients.find(({ recipient_id }) => recipient_id === id);
      return `  ${printable(recipient?.recipient_email ?? id)}: ${reason}`;
    });
    throw new Stop(
      "refused",
      ["recipients_ineligible: They cannot receive mail, so nothing was changed:", ...lines].join("\n"),
    );
  }
};
