import type { InfiniteData } from "@tanstack/preact-query";
import { reads } from "./api.ts";

/** Changes the pages of lists that have been read, without reading them again. */
export const changePages = <Page>(key: readonly unknown[], change: (page: Page) => Page): void => {
  reads.setQueriesData<InfiniteData<Page>>({ queryKey: key }, (list) =>
    list === undefined ? list : { ...list, pages: list.pages.map(change) },
  );
};
