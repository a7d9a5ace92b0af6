import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hasMoved } from "../router.ts";

/** A view: its heading, which takes the focus when somebody has moved there, and what is below it. */
export const View = ({
  title,
  heading,
  back,
  action,
  children,
}: {
  /** Of the page, for the history and for bookmarks: without an address. */
  readonly title: string;
  /** If it is another one. */
  readonly heading?: ComponentChildren;
  /** Where this view belongs. */
  readonly back?: { readonly to: string; readonly name: string };
  /** What people most often do here. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Postern`;
  }, [title]);
  useEffect(() => {
    if (hasMoved) ref.current?.focus();
  }, []);
  return (
    <main id="main" tabIndex={-1}>
      {back !== undefined && (
        <a class="back" href={back.to}>
          {back.name}
        </a>
      )}
      <header class="title">
        <h1 ref={ref} tabIndex={-1}>
          {heading ?? title}
        </h1>
        {action}
      </header>
      {children}
    </main>
  );
};
