import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A row of a list. If it has the focus when it goes, its neighbor gets it, or else the heading of the view. */
export const Row = ({
  isOff = false,
  children,
}: {
  /** It is there, but does nothing at the moment. */
  readonly isOff?: boolean;
  readonly children: ComponentChildren;
}) => {
  const ref = useRef<HTMLLIElement>(null);
  // Before it is out of the document: other effects end after that.
  useLayoutEffect(() => {
    const row = ref.current;
    return () => {
      if (!row?.contains(document.activeElement)) return;
      const neighbor = row.nextElementSibling ?? row.previousElementSibling ?? document.querySelector("h1");
      if (neighbor instanceof HTMLElement) neighbor.focus();
    };
  }, []);
  return (
    <li ref={ref} class={`row ${isOff ? "off" : ""}`} tabIndex={-1}>
      {children}
    </li>
  );
};
