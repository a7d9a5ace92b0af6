-- In older versions of SQLite, such as 3.40 in Debian 12, json_valid(NULL) is 0, not NULL. Their `sqlite3` command reported
-- that every live alias violates this CHECK, and could not restore one from a dump. Now it means the same in all versions.
--
-- A CHECK is only text in the schema, so the text is replaced in place, as described in section 7 of
-- sqlite.org/lang_altertable.html. That leaves all rows, indexes, triggers and foreign keys alone, and is fast on any file.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema
SET sql = replace(sql, 'CHECK (json_valid(remembered))', 'CHECK (remembered IS NULL OR json_valid(remembered))')
WHERE type = 'table' AND name = 'aliases';

PRAGMA writable_schema = RESET;

-- Parses the schema again: if its text were damaged, the migration would fail here.
SELECT 1 FROM aliases LIMIT 0;
