import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { sharedStores, startAdministered } from "./support/administered.ts";
import { requestDynamoDb } from "./support/dynamodb-request.ts";
import { runHere } from "./support/run-here.ts";

const ACCOUNT = "the-account";

/** The commands of the document, without the program's name. */
const [CHECK = [], REPAIR = []] = block("docs/operations.md", "Checking the store")
  .trim()
  .split("\n")
  .map((line) => line.split(" ").slice(1));

/** The lines that the document shows for a repair. */
const SHOWN = block("docs/operations.md", "Checking the store", 1).split("\n");

/** The line, with the ids that the document has. */
const asShown = (output: string, ids: { readonly alias: string; readonly recipient: string }): string =>
  output.trim().replace(ACCOUNT, "71e5…").replace(ids.alias, "0197…").replace(ids.recipient, "0198…");

type Variables = Readonly<Record<string, string>>;

const setAttribute = async (
  { POSTERN_DYNAMODB_ENDPOINT = "", POSTERN_DYNAMODB_TABLE }: Variables,
  recipient: string,
  attribute: string,
  value: object,
) => {
  await requestDynamoDb(POSTERN_DYNAMODB_ENDPOINT, "UpdateItem", {
    TableName: POSTERN_DYNAMODB_TABLE,
    Key: { pk: { S: `account#${ACCOUNT}` }, sk: { S: `recipient#${recipient}` } },
    UpdateExpression: "SET #attribute = :value",
    ExpressionAttributeNames: { "#attribute": attribute },
    ExpressionAttributeValues: { ":value": value },
  });
};

/** What other programs, or a restore of half a transaction, can do to each store. */
const damagedStores = {
  sqlite: {
    open: sharedStores.sqlite,
    /** As if no alias listed the recipient. */
    loseCount: async ({ POSTERN_SQLITE_PATH = "" }: Variables, recipient: string) => {
      using db = new DatabaseSync(POSTERN_SQLITE_PATH);
      db.prepare("UPDATE recipients SET attached = 0 WHERE id = ?").run(recipient);
    },
    /** A recipient that an alias lists, but that is inactive. */
    deactivate: async ({ POSTERN_SQLITE_PATH = "" }: Variables, recipient: string) => {
      using db = new DatabaseSync(POSTERN_SQLITE_PATH);
      const { sql } =
        db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'held_recipient_stays'").get() ?? {};
      db.exec("DROP TRIGGER held_recipient_stays");
      db.prepare("UPDATE recipients SET attached = 0, active = 0 WHERE id = ?").run(recipient);
      db.exec(String(sql));
    },
  },
  dynamodb: {
    open: sharedStores.dynamodb,
    loseCount: (variables: Variables, recipient: string) =>
      setAttribute(variables, recipient, "attached", { N: "0" }),
    deactivate: (variables: Variables, recipient: string) =>
      setAttribute(variables, recipient, "active", { BOOL: false }),
  },
};

describe.each(Object.entries(damagedStores))(
  "on a running server with %s",
  (_, { open, loseCount, deactivate }) => {
    test("a wrong count that prevents changes is found and repaired", async () => {
      const { call, command, addRecipient, addAlias, newestLink, confirm, variables } =
        await startAdministered(await open());
      const { recipient_id: home } = await addRecipient(ACCOUNT, "home@example.org");
      expect(await confirm(newestLink(), "confirm")).toBe(200);
      const { recipient_id: work } = await addRecipient(ACCOUNT, "work@example.org");
      expect(await confirm(newestLink(), "confirm")).toBe(200);
      const { alias_id: alias } = await addAlias(ACCOUNT, [home]);
      const { alias_id: doomed } = await addAlias(ACCOUNT, [home]);
      expect(await command(...CHECK)).toEqual({
        status: 0,
        output: "",
        errors: "Nothing differs.\n",
      });

      await loseCount(variables, home);
      const replace = () => call(ACCOUNT, "PUT", `/aliases/${alias}/recipients`, { recipient_ids: [work] });
      const remove = () => call(ACCOUNT, "DELETE", `/aliases/${doomed}`);
      expect(await replace()).toMatchObject({ status: 503 });
      expect(await remove()).toMatchObject({ status: 503 });
      const what = `attached     account ${ACCOUNT}, recipient ${home}: 0; right: 2\n`;
      expect(await command("store", "check")).toEqual({
        status: 1,
        output: `found     ${what}`,
        errors: "Differences: 1.\n",
      });
      const checked = await command("store", "check", "--json");
      expect(JSON.parse(checked.output)).toEqual({
        outcome: "found",
        kind: "attached",
        account: ACCOUNT,
        alias: null,
        recipient: home,
        stored: "0",
        right: "2",
        action: null,
      });
      const repaired = await command(...REPAIR);
      expect(repaired).toEqual({
        status: 0,
        output: `repaired  ${what}`,
        errors: "Repaired: 1. Nothing is left.\n",
      });
      expect(SHOWN).toContain(asShown(repaired.output, { alias, recipient: home }));
      expect(await replace()).toMatchObject({ status: 200 });
      expect(await remove()).toMatchObject({ status: 200 });
      expect(await command("store", "repair")).toEqual({
        status: 0,
        output: "",
        errors: "Nothing differs.\n",
      });
    });

    test("a decision that only the operator can make is left to them", async () => {
      const { call, command, addRecipient, addAlias, newestLink, confirm, variables } =
        await startAdministered(await open());
      const { recipient_id: home } = await addRecipient(ACCOUNT, "home@example.org");
      expect(await confirm(newestLink(), "confirm")).toBe(200);
      const { alias_id: alias } = await addAlias(ACCOUNT, [home]);
      await deactivate(variables, home);
      const what = `destination  account ${ACCOUNT}, alias ${alias}, recipient ${home}: inactive; right: verified and active`;
      const action = "its owner can activate the recipient; then repair again. Or repair with --detach";
      const left = await command("store", "repair");
      expect(SHOWN).toContain(asShown(left.output, { alias, recipient: home }));
      expect(left).toEqual({
        status: 1,
        output: `left      ${what}. To do: ${action}.\n`,
        errors: "Repaired: 0. Left for you to decide: 1.\n",
      });
      expect(await command("store", "repair", "--detach")).toEqual({
        status: 0,
        output: `repaired  ${what}\n`,
        errors: "Repaired: 1. Nothing is left.\n",
      });
      expect((await call(ACCOUNT, "GET", `/aliases/${alias}`)).body).toMatchObject({
        datetime_deleted: expect.any(Number),
      });
      expect((await call(ACCOUNT, "PATCH", `/recipients/${home}`, { active: true })).status).toBe(200);
      const restored = await call(ACCOUNT, "POST", `/aliases/${alias}/restore`, { recipient_ids: [home] });
      expect(restored.status).toBe(200);
      expect(await command("store", "check")).toEqual({
        status: 0,
        output: "",
        errors: "Nothing differs.\n",
      });
    });
  },
);

test.each([[["check", "--detach"]], [["repair", "everything"]], [["mend"]], [[]]])(
  "store %j shows the usage",
  async (args) => {
    expect(await runHere({}, "store", ...args)).toEqual({
      status: 1,
      output: "",
      errors: "Usage: store check [--json]\n       store repair [--json] [--detach]\n",
    });
  },
);

test("the memory store has nothing to check", async () => {
  const { status, errors } = await runHere({ POSTERN_STORE: "memory" }, "store", "check");
  expect(status).toBe(1);
  expect(errors).toMatch(/^The memory store does not outlive a process/);
});
