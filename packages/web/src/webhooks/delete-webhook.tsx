import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { api, reads } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { words } from "../words/words.ts";

export const DeleteWebhook = ({
  webhook: { webhook_id, url },
  onClose,
}: {
  readonly webhook: Schemas["Webhook"];
  readonly onClose: () => void;
}) => {
  const deleting = useMutation({
    mutationFn: () => api.deleteWebhook(webhook_id),
    onSuccess: () => {
      onClose();
      void reads.invalidateQueries({ queryKey: ["webhooks"] });
      announce(words.webhooks.deleted(url));
    },
  });
  return (
    <Confirm
      title={words.webhooks.deleteTitle}
      action={words.common.delete}
      busy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <p>
        <bdi>{url}</bdi>
      </p>
      <p>{words.webhooks.deleteText}</p>
    </Confirm>
  );
};
