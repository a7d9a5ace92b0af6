import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, reads } from "../api/api.ts";
import { draft } from "../drafts.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { words } from "../words/words.ts";
import { type Typed, WebhookFields } from "./webhook-fields.tsx";

export const NewWebhook = ({
  onCreated,
  onClose,
}: {
  readonly onCreated: (secret: string) => void;
  readonly onClose: () => void;
}) => {
  // With the key, repeating it after an answer was lost creates no second webhook.
  const typed = draft<Typed & { readonly key: string }>("webhook");
  const { url, events, key } = typed.value ?? { url: "", events: [], key: crypto.randomUUID() };
  const [isIncomplete, setIncomplete] = useState(false);
  const creating = useMutation({
    // Nothing is passed or returned: what is would be kept, and the secret must not be.
    mutationFn: async () => {
      const [first, ...others] = events;
      if (first === undefined) return;
      const body = { url: url.trim(), events: [first, ...others] as const };
      const { data } = await api.createWebhook(body, { idempotencyKey: key });
      typed.value = null;
      announce(words.webhooks.created(data.url));
      onCreated(data.secret);
    },
    onError: ({ code }) => {
      // It created something that was then changed here: this is another one.
      if (code === "idempotency_key_reused") typed.value = { url, events, key: crypto.randomUUID() };
      if (code === "invalid_request") announce(words.webhooks.urlInvalid);
    },
    // After a failure too: the answer may have been lost.
    onSettled: () => void reads.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  return (
    <Dialog title={words.webhooks.new} onClose={onClose}>
      <Form
        onSubmit={() => {
          setIncomplete(events.length === 0);
          if (events.length > 0) creating.mutate();
        }}
      >
        <WebhookFields
          value={{ url, events }}
          error={creating.error}
          isIncomplete={isIncomplete && events.length === 0}
          onInput={(changed) => {
            typed.value = { url, events, key, ...changed };
            if (!creating.isPending) creating.reset();
          }}
        />
        <Button look="main" busy={creating.isPending}>
          {words.webhooks.create}
        </Button>
      </Form>
    </Dialog>
  );
};
