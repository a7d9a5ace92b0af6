import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { api } from "../api/api.ts";
import { dateTime } from "../format.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";
import { type LostKey, lostOf } from "./create-key.ts";
import { useDeleteKey } from "./delete-key.tsx";

/** Looks whether a key was made whose secret did not arrive, and offers to delete it. */
export const LostKeyNotice = ({
  lost,
  onAbsent,
  onDeleted,
}: {
  readonly lost: LostKey;
  /** It was not made. */
  readonly onAbsent: () => void;
  readonly onDeleted: () => void;
}) => {
  const looking = useMutation({
    mutationFn: async () => lostOf((await api.listApiKeys()).data.keys, lost),
    onSuccess: (found) => found.length === 0 && onAbsent(),
  });
  useEffect(() => looking.mutate(), []);
  const deleting = useDeleteKey(onDeleted);
  const remove = (key: Schemas["ApiKey"]) => {
    if (!deleting.isPending) deleting.mutate(key);
  };
  return (
    <>
      <Notice look="bad">
        <p>{looking.data === undefined ? words.keys.lost : words.keys.lostFound(lost.name)}</p>
      </Notice>
      <ProblemNotice error={looking.error} onRetry={() => looking.mutate()} />
      <ProblemNotice error={deleting.error} />
      {looking.data?.map((key) => (
        <Button key={key.key_id} look="danger" busy={deleting.isPending} onClick={() => remove(key)}>
          {words.keys.deleteMade(dateTime(key.datetime_created))}
        </Button>
      ))}
    </>
  );
};
