-- Why mail that waits is not sent for now; no row if it is. `reason` is a code, and the cause is a source and its own name for the failure.
CREATE TABLE pause (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reason TEXT NOT NULL CHECK (reason IN ('relay', 'refusals', 'store')),
  source TEXT,
  cause TEXT,
  since INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  CHECK ((source IS NULL) = (cause IS NULL))
) STRICT;
