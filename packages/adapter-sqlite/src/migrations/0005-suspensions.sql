-- The accounts that the operator has suspended, and since when, in epoch milliseconds.
CREATE TABLE suspensions (
  account TEXT NOT NULL PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
