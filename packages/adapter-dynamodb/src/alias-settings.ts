import type { AliasSettings } from "@postern/core/store";
import { settingsUpdate } from "./settings-update.ts";

/** The update that saves an alias. */
export const aliasSettings = settingsUpdate<AliasSettings>({
  description: true,
  website: true,
  active: true,
  rules: true,
  destinations: true,
  updatedAt: true,
  deletedAt: true,
  version: true,
});
