import { parseAccountId, type Result, type Unavailable } from "@postern/core";
import type { Difference } from "@postern/core/store";
import { parseAnnouncementItem } from "../announcement-item.ts";
import type { Database } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { Key } from "../table.ts";
import { parseTurnsItem } from "../turns-item.ts";
import { readAll } from "./pages.ts";
import { unreadable } from "./unreadable.ts";

/** Which of these announcements do not parse. */
export const unreadableAnnouncements = (items: readonly StoredItem[]): readonly Difference[] =>
  items.filter((item) => parseAnnouncementItem(item).isErr()).map((item) => unreadable(null, item));

/** The items about turns that do not parse. `items` need not be complete. */
export const unreadableTurns = async (
  database: Database,
  items: readonly StoredItem[],
): Promise<Result<readonly Difference[], Unavailable>> =>
  (await readAll(database, items.map(Key.of))).map((found) =>
    found.flatMap((item) =>
      item === undefined || parseTurnsItem(item).isOk()
        ? []
        : [unreadable(parseAccountId(item["account"]).unwrapOr(null), item)],
    ),
  );
