-- The index of searches: the words of each description, and the addresses by account. `search_words` and `search_unicode`
-- are functions of the application (search-words.ts), because SQL cannot normalize text.

-- The different words of the description as a JSON array; null while they are not indexed. A search compares every alias
-- without words.
ALTER TABLE aliases ADD COLUMN words TEXT CHECK (words IS NULL OR json_valid(words));
UPDATE aliases SET words = search_words(description);

-- The words of `aliases`, one row each. Only the triggers below write here.
CREATE TABLE alias_words (
  account TEXT NOT NULL,
  word TEXT NOT NULL,
  alias_id TEXT NOT NULL,
  PRIMARY KEY (account, word, alias_id)
) STRICT, WITHOUT ROWID;

-- Sorted, so that even a large table is written from its beginning to its end, once.
INSERT INTO alias_words
SELECT aliases.account, each.value, aliases.id FROM aliases, json_each(aliases.words) AS each ORDER BY 1, 2, 3;

CREATE INDEX aliases_by_address ON aliases (account, email);
CREATE INDEX aliases_without_words ON aliases (account, id) WHERE words IS NULL;

CREATE TRIGGER new_alias_has_words AFTER INSERT ON aliases BEGIN
  INSERT INTO alias_words SELECT NEW.account, value, NEW.id FROM json_each(NEW.words);
END;

CREATE TRIGGER words_change AFTER UPDATE OF words ON aliases WHEN NEW.words IS NOT OLD.words BEGIN
  DELETE FROM alias_words
  WHERE account = OLD.account AND word IN (SELECT value FROM json_each(OLD.words)) AND alias_id = OLD.id;
  INSERT INTO alias_words SELECT NEW.account, value, NEW.id FROM json_each(NEW.words);
END;

CREATE TRIGGER erased_alias_has_no_words AFTER DELETE ON aliases BEGIN
  DELETE FROM alias_words
  WHERE account = OLD.account AND word IN (SELECT value FROM json_each(OLD.words)) AND alias_id = OLD.id;
END;

-- Whichever program changes a description: words that are no longer its own are not indexed.
CREATE TRIGGER changed_description_has_no_words AFTER UPDATE OF description ON aliases
WHEN NEW.description IS NOT OLD.description
BEGIN
  UPDATE aliases SET words = NULL WHERE account = NEW.account AND id = NEW.id;
END;

-- One row: the version of Unicode that determined which characters are letters.
CREATE TABLE search_index (unicode TEXT NOT NULL) STRICT;
INSERT INTO search_index VALUES (search_unicode());
