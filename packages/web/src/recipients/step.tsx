import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What comes next in a dialog. It takes the focus, because the button that led here is gone. */
export const Step = ({ children }: { readonly children: ComponentChildren }) => {
  const ref = useRef<HTMLParagraphElement>(null);
  // Before a dialog that it is in opens: then, the dialog chooses.
  useLayoutEffect(() => ref.current?.focus(), []);
  return (
    <p ref={ref} tabIndex={-1}>
      {children}
    </p>
  );
};
