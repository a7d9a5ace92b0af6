/** What is drawn, on a square of 24 by 24, with lines of the color of the text. */
const ICONS = {
  alias: "M4 6h16v12H4zM4 7l8 6 8-6",
  recipients: "M12 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 20c.6-4 3.4-6 7-6s6.4 2 7 6",
  block: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM6 6l12 12",
  webhook: "M9 8 5 12l4 4M15 8l4 4-4 4",
  key: "M14.5 13.5a4.5 4.5 0 1 0-4.2-2.9L4 17v3h3l1-2h2v-2l1.6-1.6a4.5 4.5 0 0 0 2.9-.9zM15.5 8.5h.01",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5v-5M9 19.5v-5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  done: "M5 13l4 4L19 7",
  plus: "M12 5v14M5 12h14",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  handle: "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01",
  remove: "M6 6l12 12M18 6 6 18",
  trash: "M5 7h14M9.5 7V4h5v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  back: "M14 6l-6 6 6 6",
  menu: "M4 7h16M4 12h16M4 17h16",
  warning: "M12 4 3 20h18zM12 10v4M12 17h.01",
  received: "M12 4v12M6 11l6 6 6-6M5 20h14",
  sent: "M12 20V8M6 13l6-6 6 6M5 4h14",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20",
} as const;

export type IconName = keyof typeof ICONS;

/** Decoration: whatever it stands for is also said in words. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);
