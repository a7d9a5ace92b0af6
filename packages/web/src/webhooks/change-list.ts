import type { Schemas, Success } from "@postern/client";
import { reads } from "../api/api.ts";

type Webhooks = readonly Schemas["Webhook"][];

/** Changes the list that has been read, without reading it again. */
export const changeList = (change: (webhooks: Webhooks) => Webhooks): void => {
  reads.setQueryData<Success<Schemas["WebhookList"]>>(
    ["webhooks"],
    (list) => list && { ...list, data: { webhooks: change(list.data.webhooks) } },
  );
};
