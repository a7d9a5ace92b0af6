-- `AliasRules`; null for aliases from before there were any.
ALTER TABLE aliases ADD COLUMN rules jsonb;
