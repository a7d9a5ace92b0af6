import type { Schemas } from "@postern/client";
import { useState } from "preact/hooks";
import { api, reads } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { Reading } from "../ui/reading.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { wordFor, words } from "../words/words.ts";
import { isKnownEvent, type Typed, WebhookFields } from "./webhook-fields.tsx";

type Webhook = Schemas["Webhook"];

const typedOf = ({ url, events }: Webhook): Typed => ({ url, events: events.filter(isKnownEvent) });

const ChangeForm = ({
  stored,
  etag,
  reload,
  onClose,
}: {
  readonly stored: Webhook;
  readonly etag: string;
  readonly reload: () => Promise<unknown>;
  readonly onClose: () => void;
}) => {
  const [isIncomplete, setIncomplete] = useState(false);
  const before = typedOf(stored);
  const edit = useEdit<Typed>({
    name: `webhook ${stored.webhook_id}`,
    stored: before,
    save: async ({ url, events: [first, ...others] }) => {
      // Events that this app does not know stay, as long as nobody chooses others.
      const areSame = [first, ...others].join() === before.events.join();
      const events = first !== undefined && !areSame && { events: [first, ...others] as const };
      await api.updateWebhook(stored.webhook_id, { url: url.trim(), ...events }, { ifMatch: etag });
      void reads.invalidateQueries({ queryKey: ["webhooks"] });
      onClose();
    },
    reload,
  });
  const hasNone = edit.value.events.length === 0;
  return (
    <Form
      onSubmit={() => {
        setIncomplete(hasNone);
        if (!edit.isOpen) onClose();
        else if (!hasNone) edit.save();
      }}
    >
      <WebhookFields
        value={edit.value}
        error={edit.error}
        isIncomplete={isIncomplete && hasNone}
        onInput={(changed) => edit.change({ ...edit.value, ...changed })}
      />
      {edit.isConflicting && (
        <Notice look="info">
          <p>{words.webhooks.storedNow}</p>
          <p>
            <bdi>{stored.url}</bdi>
          </p>
          <p>{words.webhooks.told(stored.events.map((event) => wordFor(words.webhooks.events, event)))}</p>
        </Notice>
      )}
      <div class="actions">
        <Button look="main" busy={edit.isBusy}>
          {words.common.save}
        </Button>
        <Button
          onClick={() => {
            edit.cancel();
            onClose();
          }}
        >
          {words.common.cancel}
        </Button>
      </div>
    </Form>
  );
};

/** Changes where events are sent, and which. */
export const ChangeWebhook = ({
  webhook: { webhook_id },
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) => {
  const read = useRead(["webhook", webhook_id], (signal) => api.getWebhook(webhook_id, { signal }));
  const { data } = read;
  return (
    <Dialog title={words.webhooks.changeTitle} onClose={onClose}>
      {data === undefined ? (
        <Reading of={read} />
      ) : (
        <ChangeForm stored={data.data} etag={data.etag} reload={read.refetch} onClose={onClose} />
      )}
    </Dialog>
  );
};
