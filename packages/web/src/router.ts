import { batch, signal } from "@preact/signals";

/** The path and the query of the page, without the origin. */
export const path = signal(location.pathname);
export const query = signal(location.search);

/** Whether the person has moved within the app: the heading of a view then takes the focus, as that of a new page would. */
export let hasMoved = false;

const read = () =>
  batch(() => {
    hasMoved ||= path.value !== location.pathname;
    path.value = location.pathname;
    query.value = location.search;
  });

export const navigate = (to: string, { replace = false, stay = false } = {}): void => {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  if (!replace && !stay) scrollTo(0, 0);
  read();
};

/** Changes the query of the page, in the same entry of the history. An empty value removes a parameter. */
export const setParameters = (parameters: Readonly<Record<string, string>>): void => {
  const changed = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === "") changed.delete(name);
    else changed.set(name, value);
  }
  navigate(`${path.value}${changed.size > 0 ? `?${changed}` : ""}`, { replace: true });
};

/** Links are plain `<a href>`: those to this app do not load the page again. With `data-stay`, they do not scroll to its top either. */
export const followLinks = (): void => {
  addEventListener("popstate", read);
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (
      !link?.href ||
      link.origin !== location.origin ||
      link.target ||
      link.hash ||
      link.hasAttribute("download")
    )
      return;
    event.preventDefault();
    navigate(link.pathname + link.search, { stay: "stay" in link.dataset });
  });
};
