-- `AliasRules` as JSON; null for aliases from before there were any.
ALTER TABLE aliases ADD COLUMN rules TEXT CHECK (rules IS NULL OR json_valid(rules));
