-- The addresses that no alias can ever have (rule 7 of docs/sqlite.md), as the domain's EmailAddress.key: in lower
-- case. Nothing else is stored about the alias that had the address.
CREATE TABLE retired_addresses (
  address TEXT NOT NULL PRIMARY KEY CHECK (address = lower(address))
) STRICT, WITHOUT ROWID;

-- Whichever program deletes an alias, its address is retired with it.
CREATE TRIGGER erased_alias_retires_address AFTER DELETE ON aliases BEGIN
  INSERT INTO retired_addresses VALUES (lower(OLD.email));
END;

CREATE TRIGGER retired_address_stays_retired BEFORE DELETE ON retired_addresses BEGIN
  SELECT RAISE(ABORT, 'an address stays retired');
END;

CREATE TRIGGER retired_address_stays_itself BEFORE UPDATE ON retired_addresses BEGIN
  SELECT RAISE(ABORT, 'a retired address never changes');
END;

-- After, not before: a REPLACE deletes the old alias in between.
CREATE TRIGGER alias_address_is_not_retired AFTER INSERT ON aliases
WHEN EXISTS (SELECT 1 FROM retired_addresses WHERE address = lower(NEW.email))
BEGIN
  SELECT RAISE(ABORT, 'the address is retired');
END;

CREATE TRIGGER retired_address_has_no_alias AFTER INSERT ON retired_addresses
WHEN EXISTS (SELECT 1 FROM aliases WHERE email = NEW.address)
BEGIN
  SELECT RAISE(ABORT, 'an alias has the address');
END;
