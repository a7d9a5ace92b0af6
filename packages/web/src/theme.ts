import { signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "theme";

/** Storage can be forbidden. */
const stored = (): string | null => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

export const theme = signal<Theme>(THEMES.find((each) => each === stored()) ?? "system");

const apply = () => {
  document.documentElement.dataset["theme"] = theme.value;
};

export const setTheme = (chosen: Theme): void => {
  theme.value = chosen;
  apply();
  try {
    if (chosen === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // It holds until the page is closed.
  }
};

apply();
