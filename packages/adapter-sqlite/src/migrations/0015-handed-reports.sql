-- Reports of delivery, for the server that has the spool. What they say names nobody.
CREATE TABLE handed_reports (
  spool TEXT NOT NULL,
  copy TEXT NOT NULL,
  outcome TEXT NOT NULL,
  only_if_to_alias INTEGER NOT NULL CHECK (only_if_to_alias IN (0, 1)),
  reason TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (spool, copy, outcome, only_if_to_alias)
) STRICT, WITHOUT ROWID;

CREATE INDEX handed_reports_by_age ON handed_reports (at);
