import type { ClientError } from "@postern/client";
import type { ComponentChildren } from "preact";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

/** Asks before something that cannot easily be undone. */
export const Confirm = ({
  title,
  children,
  action,
  busy,
  error,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  /** What it will mean. */
  readonly children: ComponentChildren;
  /** The verb on the button: “Delete”. */
  readonly action: string;
  readonly busy: boolean;
  readonly error: ClientError | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) => (
  <Dialog title={title} onClose={onClose}>
    {children}
    <ProblemNotice error={error} />
    <footer>
      <Button onClick={onClose}>{words.common.cancel}</Button>
      <Button look="danger" busy={busy} onClick={onConfirm}>
        {action}
      </Button>
    </footer>
  </Dialog>
);
