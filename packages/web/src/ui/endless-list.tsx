import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Pages } from "../api/read.ts";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { Loading } from "./loading.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Reading } from "./reading.tsx";

/** How far outside of the window a page of the list is kept, in pixels. */
const MARGIN = "1500px";

/** How high pages were when they were last in the document, so that a list is as long when somebody comes back to it. */
const heights = new Map<string, number>();

/** Keeps its rows in the document only while they are near the window, or have the focus. */
const WindowedPage = ({
  id,
  label,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly children: ComponentChildren;
}) => {
  const ref = useRef<HTMLUListElement>(null);
  const [isShown, setShown] = useState(!heights.has(id));
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        if (last === undefined) return;
        if (!last.isIntersecting && element.contains(document.activeElement)) return;
        if (!last.isIntersecting && element.childElementCount > 0)
          heights.set(id, last.boundingClientRect.height);
        setShown(last.isIntersecting);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [id]);
  return (
    <ul ref={ref} aria-label={label} style={isShown ? undefined : { height: `${heights.get(id) ?? 0}px` }}>
      {isShown && children}
    </ul>
  );
};

/** Where the next page is requested, when it comes near the window. */
const End = ({ onReached }: { readonly onReached: () => void }) => {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onReached(), {
      rootMargin: MARGIN,
    });
    observer.observe(element);
    return () => observer.disconnect();
  });
  return <div ref={ref} />;
};

/** A list of any length, in pages that are loaded as somebody scrolls: never more than some hundred rows are in the document. */
export const EndlessList = <Page extends { readonly next_cursor: string | null }, Item>({
  name,
  label,
  pages,
  items,
  row,
  empty,
}: {
  /** Tells lists, and what they are filtered by, from each other. */
  readonly name: string;
  /** What the list has: “Aliases”. */
  readonly label: string;
  readonly pages: Pages<Page>;
  readonly items: (page: Page) => readonly Item[];
  /** An `<li>` with a key. */
  readonly row: (item: Item) => ComponentChildren;
  /** Instead of a list without items: what to do. */
  readonly empty: ComponentChildren;
}) => {
  const { data, error, hasNextPage, isFetching, isFetchingNextPage, fetchNextPage, refetch } = pages;
  if (data === undefined) return <Reading of={pages} />;
  const isEmpty = data.pages.every((page) => items(page).length === 0);
  return (
    <>
      {isEmpty && !hasNextPage && empty}
      {!isEmpty && (
        <div class="rows">
          {data.pages.map((page, index) => (
            <WindowedPage key={data.pageParams[index]} id={`${name} ${index}`} label={label}>
              {items(page).map(row)}
            </WindowedPage>
          ))}
        </div>
      )}
      {error !== null && (
        <ProblemNotice
          error={error}
          onRetry={() => void (pages.isFetchNextPageError ? fetchNextPage() : refetch())}
        />
      )}
      {hasNextPage && error === null && !isFetching && (
        <>
          <End onReached={() => void fetchNextPage()} />
          <Button onClick={() => void fetchNextPage()}>{words.common.more}</Button>
        </>
      )}
      {isFetchingNextPage && <Loading />}
    </>
  );
};
