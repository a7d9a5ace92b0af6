-- The host of the website that an alias is for; '' if none.
ALTER TABLE aliases ADD COLUMN website TEXT NOT NULL DEFAULT '';

-- Whichever program changes a description or a website: words that are no longer the alias's own are not indexed.
DROP TRIGGER changed_description_has_no_words;
CREATE TRIGGER changed_text_has_no_words AFTER UPDATE OF description, website ON aliases
WHEN NEW.description IS NOT OLD.description OR NEW.website IS NOT OLD.website
BEGIN
  UPDATE aliases SET words = NULL WHERE account = NEW.account AND id = NEW.id;
END;

-- When its owner made it the default recipient.
ALTER TABLE recipients ADD COLUMN default_since INTEGER;

-- Until when it is known; null for those from before, which are known for 24 hours.
ALTER TABLE creations ADD COLUMN expires_at INTEGER;
DROP TRIGGER creation_stays;
CREATE TRIGGER creation_stays BEFORE UPDATE ON creations
WHEN coalesce(OLD.expires_at, OLD.at + 86400000) > NEW.at BEGIN
  SELECT RAISE(ABORT, 'what was created with a key stays known until it expires');
END;
