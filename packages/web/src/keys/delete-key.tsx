import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { api, reads } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { words } from "../words/words.ts";

type ApiKey = Schemas["ApiKey"];
type ReadKeys = Awaited<ReturnType<typeof api.listApiKeys>>;

/** Deletes a key, and takes it out of the list. */
export const useDeleteKey = (onDeleted: () => void) =>
  useMutation({
    mutationFn: ({ key_id }: ApiKey) => api.deleteApiKey(key_id),
    onSuccess: async (_, deleted) => {
      onDeleted();
      // A list that was requested before would show it once more.
      await reads.cancelQueries({ queryKey: ["keys"] });
      reads.setQueryData<ReadKeys>(["keys"], (read) =>
        read === undefined
          ? read
          : { ...read, data: { keys: read.data.keys.filter(({ key_id }) => key_id !== deleted.key_id) } },
      );
      announce(words.keys.deleted(deleted.name));
    },
  });

/** Asks before a key is deleted. */
export const DeleteKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const deleting = useDeleteKey(onClose);
  return (
    <Confirm
      title={words.keys.deleteTitle(apiKey.name)}
      action={words.common.delete}
      busy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate(apiKey)}
      onClose={onClose}
    >
      <p>{words.keys.deleteText}</p>
    </Confirm>
  );
};
