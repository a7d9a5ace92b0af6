-- Reports of delivery, for the server that has the spool. What they say names nobody.
CREATE TABLE handed_reports (
  spool text COLLATE "C" NOT NULL,
  copy text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  only_if_to_alias boolean NOT NULL,
  reason text COLLATE "C",
  at bigint NOT NULL,
  PRIMARY KEY (spool, copy, outcome, only_if_to_alias)
);

CREATE INDEX handed_reports_by_age ON handed_reports (at);
