-- Times are Unix nanoseconds in UTC; 0 stands for "not yet" only where a column says so.
-- Lists and small records that are read and written whole are JSON text.

-- +goose Up
CREATE TABLE server (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    epoch      INTEGER NOT NULL CHECK (epoch > 0),
    checked_at INTEGER NOT NULL DEFAULT 0
);
INSERT INTO server (id, epoch) VALUES (1, 1);

CREATE TABLE tokens (
    verifier   TEXT PRIMARY KEY,
    principal  TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('agent', 'setup')),
    label      TEXT NOT NULL,
    created_at INTEGER NOT NULL
);

CREATE TABLE operators (
    name       TEXT PRIMARY KEY,
    password   TEXT NOT NULL,
    created_at INTEGER NOT NULL
);

CREATE TABLE web_sessions (
    verifier  TEXT PRIMARY KEY,
    operator  TEXT NOT NULL REFERENCES operators (name),
    opened_at INTEGER NOT NULL,
    used_at   INTEGER NOT NULL
);

CREATE TABLE sessions (
    id        TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    verifier  TEXT NOT NULL,
    name      TEXT NOT NULL,
    machine   TEXT NOT NULL,
    opened_at INTEGER NOT NULL
);

-- outcome is empty in a tombstone: the key was used, and its answer is no
-- longer kept.
CREATE TABLE idempotency (
    principal   TEXT NOT NULL,
    operation   TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    refused     INTEGER NOT NULL CHECK (refused IN (0, 1)),
    outcome     TEXT NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (principal, operation, key)
);
CREATE INDEX idempotency_answers ON idempotency (at) WHERE outcome <> '';
CREATE INDEX idempotency_tombstones ON idempotency (at) WHERE outcome = '';

CREATE TABLE projects (
    key            TEXT PRIMARY KEY,
    name           TEXT NOT NULL,
    review         TEXT NOT NULL CHECK (review IN ('none', 'agent')),
    lease          INTEGER NOT NULL CHECK (lease > 0),
    recovery_grace INTEGER NOT NULL CHECK (recovery_grace >= 0),
    created_at     INTEGER NOT NULL,
    created_by     TEXT NOT NULL,
    last_task      INTEGER NOT NULL DEFAULT 0,
    last_lesson    INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE repositories (
    id       TEXT PRIMARY KEY,
    project  TEXT NOT NULL REFERENCES projects (key),
    position INTEGER NOT NULL,
    remote   TEXT NOT NULL UNIQUE,
    target   TEXT NOT NULL,
    UNIQUE (project, position)
);

-- submission is a code task's current one; subject is what a review or an
-- integration task is about. saved is work that the next attempt must take up
-- or decline. ready_since is when the task came into the queue: its creation,
-- then the latest moment at which it became claimable.
CREATE TABLE tasks (
    id                TEXT PRIMARY KEY,
    project           TEXT NOT NULL REFERENCES projects (key),
    number            INTEGER NOT NULL,
    kind              TEXT NOT NULL CHECK (kind IN ('code', 'review', 'integration')),
    title             TEXT NOT NULL,
    outcome           TEXT NOT NULL,
    criteria          TEXT NOT NULL,
    priority          INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
    lifecycle         TEXT NOT NULL CHECK (lifecycle IN ('planned', 'open', 'done', 'canceled')),
    repository        TEXT NOT NULL REFERENCES repositories (id),
    target            TEXT NOT NULL,
    source            TEXT NOT NULL,
    digest            TEXT NOT NULL,
    revision          INTEGER NOT NULL DEFAULT 1,
    generation        INTEGER NOT NULL DEFAULT 0,
    open_dependencies INTEGER NOT NULL DEFAULT 0 CHECK (open_dependencies >= 0),
    blocker_kind      TEXT,
    blocker_text      TEXT,
    blocker_reopen    TEXT,
    blocker_at        INTEGER,
    attempt           TEXT REFERENCES attempts (id),
    submission        TEXT REFERENCES submissions (id),
    subject           TEXT REFERENCES submissions (id),
    saved             TEXT,
    landing           TEXT REFERENCES landings (id),
    created_at        INTEGER NOT NULL,
    created_by        TEXT NOT NULL,
    ready_since       INTEGER NOT NULL,
    closed_at         INTEGER,
    created_seq       INTEGER NOT NULL,
    edited_seq        INTEGER NOT NULL,
    closed_seq        INTEGER NOT NULL DEFAULT 0,
    blocked           INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN open_dependencies > 0 OR blocker_kind IS NOT NULL THEN 1 ELSE 0 END) STORED,
    phase             INTEGER NOT NULL GENERATED ALWAYS AS (CASE lifecycle WHEN 'open' THEN 0 WHEN 'planned' THEN 1 ELSE 2 END) STORED,
    UNIQUE (project, number),
    CHECK ((kind = 'code') = (subject IS NULL)),
    CHECK (kind = 'code' OR (submission IS NULL AND saved IS NULL AND landing IS NULL)),
    CHECK (attempt IS NULL OR (lifecycle = 'open' AND submission IS NULL)),
    CHECK ((lifecycle IN ('done', 'canceled')) = (closed_at IS NOT NULL)),
    CHECK (kind <> 'code' OR lifecycle <> 'open' OR landing IS NULL),
    CHECK ((blocker_kind IS NULL) = (blocker_text IS NULL) AND (blocker_kind IS NULL) = (blocker_at IS NULL))
);
-- Selection order. The condition is "claimable" in eligible.go, word for word.
CREATE INDEX tasks_claimable ON tasks (project, kind, priority, ready_since, number)
    WHERE lifecycle = 'open' AND blocked = 0 AND attempt IS NULL AND submission IS NULL;
CREATE INDEX tasks_saved ON tasks (project, kind, priority, ready_since, number)
    WHERE lifecycle = 'open' AND blocked = 0 AND attempt IS NULL AND submission IS NULL AND saved IS NOT NULL;
CREATE INDEX tasks_blocked ON tasks (project, kind, priority, ready_since, number)
    WHERE lifecycle = 'open' AND blocked = 1 AND attempt IS NULL AND submission IS NULL;
CREATE INDEX tasks_owned ON tasks (project, kind) WHERE attempt IS NOT NULL;
CREATE INDEX tasks_submitted ON tasks (project) WHERE lifecycle = 'open' AND submission IS NOT NULL;
CREATE INDEX tasks_lifecycle ON tasks (project, lifecycle, closed_at, number);
CREATE INDEX tasks_order ON tasks (project, phase, priority, ready_since, number);
CREATE INDEX tasks_kind_order ON tasks (project, kind, phase, priority, ready_since, number);
CREATE INDEX tasks_title ON tasks (project, title);

CREATE TABLE dependencies (
    task       TEXT NOT NULL REFERENCES tasks (id),
    depends_on TEXT NOT NULL REFERENCES tasks (id),
    PRIMARY KEY (task, depends_on),
    CHECK (task <> depends_on)
);
CREATE INDEX dependencies_reverse ON dependencies (depends_on, task);

-- ended is how an attempt ended; while it is null, the attempt owns the task,
-- with a live lease or an expired one.
CREATE TABLE attempts (
    id           TEXT PRIMARY KEY,
    project      TEXT NOT NULL REFERENCES projects (key),
    task         TEXT NOT NULL REFERENCES tasks (id),
    kind         TEXT NOT NULL,
    generation   INTEGER NOT NULL CHECK (generation > 0),
    session      TEXT NOT NULL REFERENCES sessions (id),
    owner        TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    progress_at  INTEGER NOT NULL,
    started_from TEXT NOT NULL DEFAULT '',
    ended        TEXT CHECK (ended IN ('superseded', 'released', 'submitted', 'finished')),
    ended_at     INTEGER,
    end_reason   TEXT NOT NULL DEFAULT '',
    machine      TEXT,
    path         TEXT,
    git_dir      TEXT,
    branch       TEXT,
    base         TEXT,
    UNIQUE (task, generation),
    CHECK ((ended IS NULL) = (ended_at IS NULL))
);
CREATE UNIQUE INDEX attempts_owner ON attempts (task) WHERE ended IS NULL;
CREATE UNIQUE INDEX attempts_checkout ON attempts (machine, git_dir) WHERE ended IS NULL AND git_dir IS NOT NULL;
CREATE INDEX attempts_lease ON attempts (project, kind, expires_at) WHERE ended IS NULL;
CREATE INDEX attempts_session ON attempts (session, task);

CREATE TABLE checkpoints (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    task       TEXT NOT NULL REFERENCES tasks (id),
    attempt    TEXT NOT NULL REFERENCES attempts (id),
    generation INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    note       TEXT NOT NULL,
    next       TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    tree       TEXT NOT NULL,
    ref        TEXT NOT NULL,
    pushed     INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    UNIQUE (attempt, number)
);
CREATE INDEX checkpoints_task ON checkpoints (task, id);

CREATE TABLE receipts (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    project     TEXT NOT NULL REFERENCES projects (key),
    task        TEXT NOT NULL REFERENCES tasks (id),
    attempt     TEXT NOT NULL REFERENCES attempts (id),
    check_name  TEXT NOT NULL,
    definition  TEXT NOT NULL,
    tree        TEXT NOT NULL,
    commit_id   TEXT NOT NULL,
    base        TEXT NOT NULL,
    result      TEXT NOT NULL CHECK (result IN ('passed', 'failed', 'interrupted')),
    exit_status INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    changed     TEXT NOT NULL,
    machine     TEXT NOT NULL,
    toolchain   TEXT NOT NULL,
    log_digest  TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    at          INTEGER NOT NULL
);
CREATE INDEX receipts_tree ON receipts (project, tree, id);
CREATE INDEX receipts_task ON receipts (task, id);

CREATE TABLE submissions (
    id              TEXT PRIMARY KEY,
    project         TEXT NOT NULL REFERENCES projects (key),
    task            TEXT NOT NULL REFERENCES tasks (id),
    number          INTEGER NOT NULL,
    attempt         TEXT NOT NULL UNIQUE REFERENCES attempts (id),
    generation      INTEGER NOT NULL,
    author          TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('in_review', 'approved', 'returned', 'landed')),
    commit_id       TEXT NOT NULL,
    tree            TEXT NOT NULL,
    base            TEXT NOT NULL,
    ref             TEXT NOT NULL,
    repository      TEXT NOT NULL,
    target          TEXT NOT NULL,
    summary         TEXT NOT NULL,
    digest          TEXT NOT NULL,
    required        TEXT NOT NULL,
    review          TEXT,
    integration     TEXT NOT NULL,
    landing         TEXT REFERENCES landings (id),
    returned_reason TEXT NOT NULL DEFAULT '',
    at              INTEGER NOT NULL,
    changed_at      INTEGER NOT NULL,
    UNIQUE (task, number)
);
CREATE INDEX submissions_queue ON submissions (project, state, at);

CREATE TABLE reviews (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    submission TEXT NOT NULL UNIQUE REFERENCES submissions (id),
    task       TEXT NOT NULL REFERENCES tasks (id),
    attempt    TEXT NOT NULL REFERENCES attempts (id),
    commit_id  TEXT NOT NULL,
    verdict    TEXT NOT NULL CHECK (verdict IN ('approved', 'changes_requested')),
    reviewer   TEXT NOT NULL,
    note       TEXT NOT NULL,
    findings   TEXT NOT NULL,
    at         INTEGER NOT NULL
);

-- generation is the integration attempt's: the landing's fence.
CREATE TABLE landings (
    id           TEXT PRIMARY KEY,
    project      TEXT NOT NULL REFERENCES projects (key),
    task         TEXT NOT NULL REFERENCES tasks (id),
    number       INTEGER NOT NULL,
    submission   TEXT NOT NULL REFERENCES submissions (id),
    integration  TEXT NOT NULL REFERENCES tasks (id),
    attempt      TEXT NOT NULL REFERENCES attempts (id),
    generation   INTEGER NOT NULL,
    repository   TEXT NOT NULL,
    target       TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('held', 'merged', 'publishing', 'landed', 'conflict', 'failed', 'released')),
    holder       TEXT NOT NULL,
    tries        INTEGER NOT NULL DEFAULT 0,
    base         TEXT NOT NULL DEFAULT '',
    result       TEXT NOT NULL DEFAULT '',
    tree         TEXT NOT NULL DEFAULT '',
    required     TEXT NOT NULL DEFAULT 'null',
    verified     INTEGER NOT NULL DEFAULT 0,
    conflicts    TEXT NOT NULL DEFAULT 'null',
    reason       TEXT NOT NULL DEFAULT '',
    already_in   INTEGER NOT NULL DEFAULT 0,
    weak         INTEGER NOT NULL DEFAULT 0,
    observed_tip TEXT NOT NULL DEFAULT '',
    outside      TEXT NOT NULL DEFAULT 'null',
    held_at      INTEGER NOT NULL,
    changed_at   INTEGER NOT NULL,
    landed_at    INTEGER,
    UNIQUE (task, number),
    CHECK ((state = 'landed') = (landed_at IS NOT NULL)),
    CHECK (state NOT IN ('publishing', 'landed') OR verified = 1)
);
CREATE UNIQUE INDEX landings_hold ON landings (repository, target) WHERE state IN ('held', 'merged', 'publishing');
CREATE UNIQUE INDEX landings_once ON landings (submission) WHERE state = 'landed';
CREATE INDEX landings_target ON landings (repository, target, held_at);
CREATE INDEX landings_integration ON landings (integration);
CREATE INDEX landings_landed ON landings (project, landed_at) WHERE state = 'landed';

CREATE TABLE targets (
    repository  TEXT NOT NULL,
    target      TEXT NOT NULL,
    tip         TEXT NOT NULL,
    observed_at INTEGER NOT NULL,
    PRIMARY KEY (repository, target)
);

CREATE TABLE lessons (
    project     TEXT NOT NULL REFERENCES projects (key),
    number      INTEGER NOT NULL,
    text        TEXT NOT NULL,
    author      TEXT NOT NULL,
    task        TEXT NOT NULL DEFAULT '',
    submission  TEXT REFERENCES submissions (id),
    status      TEXT NOT NULL CHECK (status IN ('observed', 'verified')),
    source      TEXT NOT NULL DEFAULT '',
    at          INTEGER NOT NULL,
    created_seq INTEGER NOT NULL,
    edited_seq  INTEGER NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE INDEX lessons_rank ON lessons (project, status, number);
CREATE INDEX lessons_submission ON lessons (submission) WHERE submission IS NOT NULL;

-- The exact bytes of every imported file, once.
CREATE TABLE source_bytes (
    digest  TEXT PRIMARY KEY,
    content BLOB NOT NULL
);

CREATE TABLE source_files (
    project  TEXT NOT NULL REFERENCES projects (key),
    path     TEXT NOT NULL,
    digest   TEXT NOT NULL REFERENCES source_bytes (digest),
    role     TEXT NOT NULL,
    revision TEXT NOT NULL,
    seen_seq INTEGER NOT NULL,
    PRIMARY KEY (project, path, digest)
);

-- What is remembered of each source record: the JSON of a coord.ImportAnchor.
CREATE TABLE anchors (
    project TEXT NOT NULL REFERENCES projects (key),
    key     TEXT NOT NULL,
    anchor  TEXT NOT NULL,
    PRIMARY KEY (project, key)
);

CREATE TABLE handoffs (
    project TEXT NOT NULL REFERENCES projects (key),
    key     TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    title   TEXT NOT NULL,
    body    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (project, key, seq)
);

CREATE TABLE events (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    project TEXT NOT NULL,
    task    TEXT NOT NULL,
    actor   TEXT NOT NULL,
    text    TEXT NOT NULL,
    data    TEXT NOT NULL,
    hash    TEXT NOT NULL
);
CREATE INDEX events_project ON events (project, seq);
CREATE INDEX events_task ON events (task, seq) WHERE task <> '';

-- Surrogate ids start above 1: a bound value that moves to or from 0 or 1
-- makes SQLite prepare a statement again.
INSERT INTO sqlite_sequence (name, seq) VALUES ('checkpoints', 1), ('receipts', 1), ('reviews', 1);

-- +goose StatementBegin
CREATE TRIGGER events_dense BEFORE INSERT ON events
WHEN new.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN SELECT raise(ABORT, 'the event sequence is dense'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT raise(ABORT, 'events are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT raise(ABORT, 'events are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER receipts_no_update BEFORE UPDATE ON receipts
BEGIN SELECT raise(ABORT, 'receipts are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER receipts_no_delete BEFORE DELETE ON receipts
BEGIN SELECT raise(ABORT, 'receipts are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER checkpoints_no_update BEFORE UPDATE ON checkpoints
BEGIN SELECT raise(ABORT, 'checkpoints are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER checkpoints_no_delete BEFORE DELETE ON checkpoints
BEGIN SELECT raise(ABORT, 'checkpoints are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reviews_no_update BEFORE UPDATE ON reviews
BEGIN SELECT raise(ABORT, 'reviews are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reviews_no_delete BEFORE DELETE ON reviews
BEGIN SELECT raise(ABORT, 'reviews are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER submissions_immutable BEFORE UPDATE OF
    task, number, attempt, commit_id, tree, base, ref, repository, target, summary, digest, required, review, integration, at ON submissions
BEGIN SELECT raise(ABORT, 'a submission is immutable'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER submissions_no_delete BEFORE DELETE ON submissions
BEGIN SELECT raise(ABORT, 'a submission is immutable'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER attempts_fence BEFORE UPDATE OF task, generation, session ON attempts
BEGIN SELECT raise(ABORT, 'an attempt keeps its task, generation and session'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER attempts_end_once BEFORE UPDATE OF ended, expires_at ON attempts WHEN old.ended IS NOT NULL
BEGIN SELECT raise(ABORT, 'an ended attempt stays ended'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tasks_generation BEFORE UPDATE OF generation ON tasks WHEN new.generation < old.generation
BEGIN SELECT raise(ABORT, 'generations never decrease'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER landings_final BEFORE UPDATE OF state ON landings WHEN old.state IN ('landed', 'conflict', 'failed', 'released')
BEGIN SELECT raise(ABORT, 'a landing that ended stays ended'); END;
-- +goose StatementEnd

PRAGMA user_version = 1;
