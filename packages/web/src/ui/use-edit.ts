import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { draft } from "../drafts.ts";
import { words } from "../words/words.ts";
import { announce } from "./announcer.tsx";

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * A change of something that is stored, from the first key until it is saved.
 *
 * @param name of the draft: what is changed, and of what
 * @param stored what is stored as far as is known
 * @param save stores it, provided that the version is still the one that was read. Shows what it has stored.
 * @param reload reads what is stored now, after somebody else has changed it
 */
export const useEdit = <T>({
  name,
  stored,
  save,
  reload,
}: {
  readonly name: string;
  readonly stored: T;
  readonly save: (value: T) => Promise<unknown>;
  readonly reload: () => Promise<unknown>;
}) => {
  const typed = draft<{ readonly value: T; readonly from: T }>(name);
  const [isSaved, setSaved] = useState(false);
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: save,
    onSuccess: () => {
      typed.value = null;
      setSaved(true);
      announce(words.common.saved);
    },
    onError: ({ problem }) => (problem.code === "precondition_failed" ? reload() : undefined),
  });
  const current = typed.value;
  return {
    value: current?.value ?? stored,
    isOpen: current !== null,
    /** Whether somebody else has changed it since: then `stored` is shown beside. */
    isConflicting: current !== null && !isSame(current.from, stored) && !isSame(current.value, stored),
    /** Until the next change. */
    isSaved,
    isBusy: isPending,
    error,
    change: (value: T) => {
      setSaved(false);
      typed.value = { value, from: current?.from ?? stored };
    },
    cancel: () => {
      reset();
      typed.value = null;
    },
    save: () => {
      if (current !== null) mutate(current.value);
    },
  };
};
