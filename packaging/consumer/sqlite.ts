/* The SQLite store, which needs a newer Node than the domain, and its backup. */
import { strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupSqlite, type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { ok, postern, throwing } from "@postern/core";
import { nodePorts, systemClock } from "@postern/node";

const directory = mkdtempSync(join(tmpdir(), "postern-sqlite-"));

const open = (file: string): SqliteStore =>
  sqliteStore({
    path: join(directory, file),
    clock: systemClock,
    create: undefined,
    alongside: undefined,
  }).match(
    (store) => store,
    ({ message }) => {
      throw new Error(message);
    },
  );

const serviceOn = (store: SqliteStore) =>
  throwing(
    postern({
      store,
      aliasDomains: ["alias.example"],
      verificationMail: { send: async () => ok(), queues: undefined },
      limits: { aliases: undefined, recipients: 10 },
      ...nodePorts({ linkSecrets: ["a secret that is at least 32 bytes long"] }),
    }),
  );

const store = open("postern.db");
const account = "tenant-1";
const { id } = await serviceOn(store).adoptRecipient({ account, email: "me@home.example" });
const backedUp = await backupSqlite({
  path: join(directory, "postern.db"),
  to: join(directory, "backup.db"),
});
strictEqual(backedUp.isOk(), true);
await store.close();

const backup = open("backup.db");
strictEqual((await serviceOn(backup).getRecipient({ account, recipientId: id })).email, "me@home.example");
await backup.close();
rmSync(directory, { recursive: true });
