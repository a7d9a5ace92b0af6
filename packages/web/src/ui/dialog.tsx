import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { words } from "../words/words.ts";
import { IconButton } from "./button.tsx";

/** A dialog over the view. The browser keeps the focus in it, and gives it back when the dialog goes. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  /** Escape or the button. Whoever shows the dialog then stops showing it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) => {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Other effects end when the dialog is out of the document, and what opened it perhaps too.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // The row that it was opened from may be gone: then, the view's heading is where to go on.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else document.querySelector("h1")?.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={({ currentTarget }) => {
        // At a second Escape, browsers close it without asking: whether it goes is for whoever shows it to say.
        if (currentTarget.isConnected) currentTarget.showModal();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="remove" label={words.common.close} onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
};
