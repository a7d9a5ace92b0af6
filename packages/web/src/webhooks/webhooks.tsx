import type { Schemas } from "@postern/client";
import { useState } from "preact/hooks";
import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { useService } from "../api/service.ts";
import { Button } from "../ui/button.tsx";
import { Reading } from "../ui/reading.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";
import { ChangeWebhook } from "./change-webhook.tsx";
import { DeleteWebhook } from "./delete-webhook.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { Secret } from "./secret.tsx";
import { WebhookRow } from "./webhook-row.tsx";

/** The dialog that is open. The secret is nowhere else, and gone when the dialog is closed. */
type Open =
  | { readonly dialog: "new" }
  | { readonly dialog: "secret"; readonly secret: string }
  | { readonly dialog: "change" | "delete"; readonly webhook: Schemas["Webhook"] };

const OpenDialog = ({ open, onOpen }: { open: Open; onOpen: (open: Open | null) => void }) => {
  const close = () => onOpen(null);
  switch (open.dialog) {
    case "new":
      return <NewWebhook onCreated={(secret) => onOpen({ dialog: "secret", secret })} onClose={close} />;
    case "secret":
      return <Secret secret={open.secret} onClose={close} />;
    case "change":
      return <ChangeWebhook webhook={open.webhook} onClose={close} />;
    case "delete":
      return <DeleteWebhook webhook={open.webhook} onClose={close} />;
  }
};

export const Webhooks = () => {
  const isSent = useService()?.webhooks;
  const [open, setOpen] = useState<Open | null>(null);
  const read = useRead(["webhooks"], (signal) => api.listWebhooks({ signal }), {
    enabled: isSent !== false,
  });
  if (isSent === false) {
    return (
      <View title={words.webhooks.title}>
        <p>{words.webhooks.disabled}</p>
      </View>
    );
  }
  const webhooks = read.data?.data.webhooks;
  return (
    <View
      title={words.webhooks.title}
      action={
        <Button look="main" icon="plus" onClick={() => setOpen({ dialog: "new" })}>
          {words.webhooks.new}
        </Button>
      }
    >
      <p>{words.webhooks.what}</p>
      <Reading of={read} />
      {webhooks?.length === 0 && (
        <div class="empty">
          <h2>{words.webhooks.none}</h2>
          <p>{words.webhooks.noneText}</p>
        </div>
      )}
      {webhooks !== undefined && webhooks.length > 0 && (
        <div class="rows">
          <ul aria-label={words.webhooks.title}>
            {webhooks.map((webhook) => (
              <WebhookRow
                key={webhook.webhook_id}
                webhook={webhook}
                onChange={() => setOpen({ dialog: "change", webhook })}
                onDelete={() => setOpen({ dialog: "delete", webhook })}
              />
            ))}
          </ul>
        </div>
      )}
      {open !== null && <OpenDialog open={open} onOpen={setOpen} />}
    </View>
  );
};
