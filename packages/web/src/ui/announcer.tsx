import { signal } from "@preact/signals";

const announcement = signal("");

/** Tells people who do not see the page that something has happened. */
export const announce = (text: string): void => {
  // The same text twice is news too.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
};

/** Stays in the document whatever view is shown: a region that comes with its text is not read out. */
export const Announcer = () => (
  <output class="unseen" aria-live="polite">
    {announcement.value}
  </output>
);
