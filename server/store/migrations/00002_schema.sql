-- Times are Unix nanoseconds in UTC; 0 stands for "not yet" only where a column says so.
-- Lists and small records that are read and written whole are JSON text.

-- +goose Up
-- epoch changes only by restore. high_water is the latest time that something
-- was decided at: time does not go back behind it.
CREATE TABLE server (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    epoch      INTEGER NOT NULL CHECK (epoch > 0),
    high_water INTEGER NOT NULL DEFAULT 0,
    checked_at INTEGER NOT NULL DEFAULT 0,
    restored_at INTEGER NOT NULL DEFAULT 0
);
INSERT INTO server (id, epoch) VALUES (1, 1);

-- tail is the last four characters of the token, by which people tell it from
-- others. last_used_at is to the minute. A revoked token stays, so that its id
-- is never another's.
CREATE TABLE tokens (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    verifier      TEXT NOT NULL UNIQUE,
    principal     TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('agent', 'setup', 'operator')),
    label         TEXT NOT NULL,
    tail          TEXT NOT NULL,
    created_by    TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER,
    last_used_at  INTEGER,
    revoked_at    INTEGER,
    revoke_reason TEXT NOT NULL DEFAULT '',
    CHECK (expires_at > created_at)
);
CREATE INDEX tokens_valid ON tokens (principal, role) WHERE revoked_at IS NULL;

CREATE TABLE operators (
    name            TEXT PRIMARY KEY,
    password        TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    disabled_at     INTEGER,
    disabled_reason TEXT NOT NULL DEFAULT ''
);

CREATE TABLE web_sessions (
    verifier  TEXT PRIMARY KEY,
    operator  TEXT NOT NULL REFERENCES operators (name),
    opened_at INTEGER NOT NULL,
    used_at   INTEGER NOT NULL
);

-- parent is the session that one descends from, for the independence of
-- reviewers. seen_at is the latest change or renewal, to the minute. A closed
-- session stays closed.
CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    principal    TEXT NOT NULL,
    verifier     TEXT NOT NULL,
    name         TEXT NOT NULL,
    machine      TEXT NOT NULL,
    parent       TEXT REFERENCES sessions (id),
    capabilities TEXT NOT NULL DEFAULT '[]',
    opened_at    INTEGER NOT NULL,
    seen_at      INTEGER NOT NULL,
    closed_at    INTEGER,
    close_reason TEXT NOT NULL DEFAULT '',
    CHECK (parent <> id)
);
CREATE INDEX sessions_open ON sessions (principal, seen_at) WHERE closed_at IS NULL;

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
    key                TEXT PRIMARY KEY,
    name               TEXT NOT NULL,
    policy             TEXT NOT NULL,
    policy_revision    INTEGER NOT NULL DEFAULT 1,
    created_at         INTEGER NOT NULL,
    created_by         TEXT NOT NULL,
    last_task          INTEGER NOT NULL DEFAULT 0,
    last_lesson        INTEGER NOT NULL DEFAULT 0,
    last_handoff       INTEGER NOT NULL DEFAULT 0,
    last_decision      INTEGER NOT NULL DEFAULT 0,
    last_authorization INTEGER NOT NULL DEFAULT 0
);

-- Every state that a policy had, the one in force too.
CREATE TABLE policy_revisions (
    project  TEXT NOT NULL REFERENCES projects (key),
    revision INTEGER NOT NULL,
    policy   TEXT NOT NULL,
    author   TEXT NOT NULL,
    reason   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (project, revision)
);

-- Every text that a binding rule had; an empty one withdraws it. proposal is the
-- lesson that it was made of.
CREATE TABLE rules (
    project  TEXT NOT NULL REFERENCES projects (key),
    name     TEXT NOT NULL,
    revision INTEGER NOT NULL,
    text     TEXT NOT NULL,
    author   TEXT NOT NULL,
    reason   TEXT NOT NULL,
    proposal TEXT NOT NULL DEFAULT '',
    at       INTEGER NOT NULL,
    PRIMARY KEY (project, name, revision)
);

CREATE TABLE repositories (
    id       TEXT PRIMARY KEY,
    project  TEXT NOT NULL REFERENCES projects (key),
    position INTEGER NOT NULL,
    remote   TEXT NOT NULL UNIQUE,
    target   TEXT NOT NULL,
    UNIQUE (project, position)
);

-- submission is a code or general task's current one; subject is what a review
-- or an integration task is about, slot whose approval a review task waits
-- for. saved is work that the next attempt must take up or decline.
-- capabilities are sorted and joined by blanks. ready_since is when the task
-- came into the queue: its creation, then the latest moment at which it became
-- claimable. blocked says what it waits for: 1 a dependency or a blocker, 2 an
-- objective nothing but its children. pickup says what a claim would begin with:
-- 0 work that was saved for anyone, 1 nothing, 2 work that one machine has.
CREATE TABLE tasks (
    id                TEXT PRIMARY KEY,
    project           TEXT NOT NULL REFERENCES projects (key),
    number            INTEGER NOT NULL,
    kind              TEXT NOT NULL CHECK (kind IN ('code', 'general', 'objective', 'review', 'integration')),
    title             TEXT NOT NULL,
    outcome           TEXT NOT NULL,
    criteria          TEXT NOT NULL,
    priority          INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
    lifecycle         TEXT NOT NULL CHECK (lifecycle IN ('planned', 'open', 'done', 'canceled', 'superseded')),
    repository        TEXT NOT NULL REFERENCES repositories (id),
    target            TEXT NOT NULL,
    source            TEXT NOT NULL,
    source_key        TEXT NOT NULL DEFAULT '',
    labels            TEXT NOT NULL DEFAULT 'null',
    paths             TEXT NOT NULL DEFAULT 'null',
    capabilities      TEXT NOT NULL DEFAULT '',
    parent            TEXT REFERENCES tasks (id),
    superseded_by     TEXT REFERENCES tasks (id),
    slot              TEXT NOT NULL DEFAULT '' CHECK (slot IN ('', 'agent', 'human', 'either')),
    digest            TEXT NOT NULL,
    revision          INTEGER NOT NULL DEFAULT 1,
    generation        INTEGER NOT NULL DEFAULT 0,
    open_dependencies INTEGER NOT NULL DEFAULT 0 CHECK (open_dependencies >= 0),
    open_children     INTEGER NOT NULL DEFAULT 0 CHECK (open_children >= 0),
    open_blockers     INTEGER NOT NULL DEFAULT 0 CHECK (open_blockers >= 0),
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
    blocked           INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN open_dependencies > 0 OR open_blockers > 0 THEN 1 WHEN open_children > 0 THEN 2 ELSE 0 END) STORED,
    pickup            INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN saved IS NULL THEN 1 WHEN saved LIKE '%"local_only":true%' THEN 2 ELSE 0 END) STORED,
    phase             INTEGER NOT NULL GENERATED ALWAYS AS (CASE lifecycle WHEN 'open' THEN 0 WHEN 'planned' THEN 1 ELSE 2 END) STORED,
    UNIQUE (project, number),
    CHECK ((kind IN ('review', 'integration')) = (subject IS NOT NULL)),
    CHECK ((kind = 'review') = (slot <> '')),
    CHECK (kind = 'code' OR kind = 'general' OR (submission IS NULL AND saved IS NULL)),
    CHECK (kind = 'code' OR landing IS NULL),
    CHECK (kind <> 'objective' OR attempt IS NULL),
    CHECK (kind = 'objective' OR open_children = 0),
    CHECK ((lifecycle = 'superseded') = (superseded_by IS NOT NULL)),
    CHECK (attempt IS NULL OR (lifecycle = 'open' AND submission IS NULL)),
    CHECK ((lifecycle IN ('done', 'canceled', 'superseded')) = (closed_at IS NOT NULL)),
    CHECK (lifecycle <> 'open' OR landing IS NULL)
);
-- Selection order. The condition is "claimable" in eligible.go, word for word.
-- tasks_capable is the one to pick from by what a session can do.
CREATE INDEX tasks_claimable ON tasks (project, kind, priority, ready_since, number)
    WHERE lifecycle = 'open' AND blocked = 0 AND attempt IS NULL AND submission IS NULL;
CREATE INDEX tasks_capable ON tasks (project, kind, pickup, capabilities, priority, ready_since, number)
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
CREATE INDEX tasks_parent ON tasks (parent, number) WHERE parent IS NOT NULL;
CREATE INDEX tasks_children ON tasks (parent, number) WHERE parent IS NOT NULL AND lifecycle IN ('open', 'planned');
CREATE INDEX tasks_subject ON tasks (subject, number) WHERE subject IS NOT NULL;
CREATE UNIQUE INDEX tasks_source_key ON tasks (project, source_key) WHERE source_key <> '';

-- The words of tasks made by hand, for the search for similar ones, and their
-- labels: each as project.word or project..label. A row's number is the task's
-- created_seq. This is the one thing that every database does in its own way.
CREATE VIRTUAL TABLE task_words USING fts5 (
    words, task UNINDEXED,
    content = '', contentless_delete = 1, contentless_unindexed = 1, detail = none, tokenize = "ascii tokenchars '._:/-'"
);

CREATE TABLE dependencies (
    task       TEXT NOT NULL REFERENCES tasks (id),
    depends_on TEXT NOT NULL REFERENCES tasks (id),
    PRIMARY KEY (task, depends_on),
    CHECK (task <> depends_on)
);
CREATE INDEX dependencies_reverse ON dependencies (depends_on, task);

-- Reasons why tasks cannot go on; tasks.open_blockers counts those that were
-- not lifted.
CREATE TABLE blockers (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    project   TEXT NOT NULL REFERENCES projects (key),
    task      TEXT NOT NULL REFERENCES tasks (id),
    kind      TEXT NOT NULL CHECK (kind IN ('conflict', 'check_failed', 'decision', 'capability', 'resource', 'verification', 'upstream', 'permission')),
    text      TEXT NOT NULL,
    reopen    TEXT NOT NULL,
    actor     TEXT NOT NULL CHECK (actor IN ('agent', 'human', 'either')),
    decision  INTEGER,
    opened_by TEXT NOT NULL,
    at        INTEGER NOT NULL,
    lifted_at INTEGER,
    lifted_by TEXT NOT NULL DEFAULT '',
    reason    TEXT NOT NULL DEFAULT '',
    CHECK ((kind = 'decision') = (decision IS NOT NULL))
);
CREATE INDEX blockers_task ON blockers (task, id);
CREATE INDEX blockers_open ON blockers (task, id) WHERE lifted_at IS NULL;
CREATE INDEX blockers_decision ON blockers (project, decision) WHERE lifted_at IS NULL AND decision IS NOT NULL;
CREATE INDEX blockers_actor ON blockers (project, actor, task) WHERE lifted_at IS NULL;

-- Questions. An answer is given once; the tasks are named once. session is
-- the one that asked; empty for a person and for what a limit brought about.
CREATE TABLE decisions (
    project        TEXT NOT NULL REFERENCES projects (key),
    number         INTEGER NOT NULL,
    question       TEXT NOT NULL,
    options        TEXT NOT NULL,
    recommendation TEXT NOT NULL,
    required_actor TEXT NOT NULL CHECK (required_actor IN ('agent', 'human', 'either')),
    reopen         TEXT NOT NULL,
    reversible     INTEGER NOT NULL,
    stands_at      INTEGER,
    expires_at     INTEGER,
    escalation     INTEGER NOT NULL,
    answer         TEXT,
    supersedes     INTEGER,
    superseded_by  INTEGER,
    asked_by       TEXT NOT NULL,
    session        TEXT NOT NULL,
    at             INTEGER NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE INDEX decisions_open ON decisions (project, number) WHERE answer IS NULL AND superseded_by IS NULL;
CREATE INDEX decisions_stand ON decisions (stands_at) WHERE answer IS NULL AND superseded_by IS NULL AND stands_at IS NOT NULL;

CREATE TABLE decision_tasks (
    project TEXT NOT NULL,
    number  INTEGER NOT NULL,
    task    TEXT NOT NULL REFERENCES tasks (id),
    PRIMARY KEY (project, number, task),
    FOREIGN KEY (project, number) REFERENCES decisions (project, number)
);
CREATE INDEX decision_tasks_task ON decision_tasks (task, number);

CREATE TABLE authorizations (
    project     TEXT NOT NULL REFERENCES projects (key),
    number      INTEGER NOT NULL,
    task        TEXT REFERENCES tasks (id),
    action      TEXT NOT NULL,
    environment TEXT NOT NULL,
    revision    TEXT NOT NULL,
    until       INTEGER NOT NULL,
    given_by    TEXT NOT NULL,
    note        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE INDEX authorizations_action ON authorizations (project, action, until);

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
    ended        TEXT CHECK (ended IN ('superseded', 'released', 'revoked', 'submitted', 'finished')),
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
CREATE INDEX attempts_held ON attempts (session, project, started_at) WHERE ended IS NULL;
CREATE INDEX attempts_live ON attempts (session, expires_at) WHERE ended IS NULL;

-- Other sessions that an author named as having worked on a task.
CREATE TABLE contributors (
    task    TEXT NOT NULL REFERENCES tasks (id),
    session TEXT NOT NULL REFERENCES sessions (id),
    PRIMARY KEY (task, session)
);

CREATE TABLE notes (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    task    TEXT NOT NULL REFERENCES tasks (id),
    attempt TEXT NOT NULL REFERENCES attempts (id),
    author  TEXT NOT NULL,
    text    TEXT NOT NULL,
    late    INTEGER NOT NULL,
    at      INTEGER NOT NULL
);
CREATE INDEX notes_task ON notes (task, id);

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
    automatic  INTEGER NOT NULL DEFAULT 0,
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
    command     TEXT NOT NULL,
    result      TEXT NOT NULL CHECK (result IN ('passed', 'failed', 'skipped', 'interrupted')),
    exit_status INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    changed     TEXT NOT NULL,
    machine     TEXT NOT NULL,
    toolchain   TEXT NOT NULL,
    log_digest  TEXT NOT NULL,
    started_at  INTEGER,
    ended_at    INTEGER,
    duration_ms INTEGER NOT NULL,
    decision    TEXT NOT NULL, -- that let the check run again after too many failures; '' for none
    at          INTEGER NOT NULL,
    CHECK ((started_at IS NULL) = (ended_at IS NULL) AND coalesce(ended_at >= started_at, TRUE))
);
CREATE INDEX receipts_decision ON receipts (project, decision, id) WHERE decision <> '';
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
    state           TEXT NOT NULL CHECK (state IN ('in_review', 'approved', 'returned', 'landed', 'accepted')),
    commit_id       TEXT NOT NULL,
    tree            TEXT NOT NULL,
    base            TEXT NOT NULL,
    ref             TEXT NOT NULL,
    distance        TEXT NOT NULL DEFAULT 'null',
    repository      TEXT NOT NULL,
    target          TEXT NOT NULL,
    summary         TEXT NOT NULL,
    digest          TEXT NOT NULL,
    judged          TEXT NOT NULL,
    required        TEXT NOT NULL,
    evidence        TEXT NOT NULL DEFAULT 'null',
    handoff         TEXT NOT NULL DEFAULT '',
    amendment       TEXT NOT NULL DEFAULT 'null',
    amended         TEXT NOT NULL DEFAULT '' CHECK (amended IN ('', 'accepted', 'rejected')),
    resolved        TEXT NOT NULL DEFAULT 'null',
    integration     TEXT NOT NULL,
    revised_at      INTEGER,
    landing         TEXT REFERENCES landings (id),
    returned_reason TEXT NOT NULL DEFAULT '',
    at              INTEGER NOT NULL,
    changed_at      INTEGER NOT NULL,
    UNIQUE (task, number)
);
CREATE INDEX submissions_queue ON submissions (project, state, at);
CREATE INDEX submissions_commit ON submissions (commit_id);

-- attempt is empty in a person's review. A decision is one review task's; it
-- is never changed, but may come to count no more (review_voids).
CREATE TABLE reviews (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    submission TEXT NOT NULL REFERENCES submissions (id),
    task       TEXT NOT NULL UNIQUE REFERENCES tasks (id),
    attempt    TEXT REFERENCES attempts (id),
    principal  TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    digest     TEXT NOT NULL,
    verdict    TEXT NOT NULL CHECK (verdict IN ('approved', 'changes_requested')),
    actor      TEXT NOT NULL CHECK (actor IN ('agent', 'human')),
    reviewer   TEXT NOT NULL,
    note       TEXT NOT NULL,
    at         INTEGER NOT NULL
);
CREATE INDEX reviews_submission ON reviews (submission, id);
CREATE INDEX reviews_principal ON reviews (principal, id) WHERE verdict = 'approved';

CREATE TABLE review_voids (
    review    INTEGER PRIMARY KEY REFERENCES reviews (id),
    reason    TEXT NOT NULL,
    voided_by TEXT NOT NULL,
    at        INTEGER NOT NULL
);

-- number counts within the task. resolution is the review that found it dealt
-- with.
CREATE TABLE findings (
    task       TEXT NOT NULL REFERENCES tasks (id),
    number     INTEGER NOT NULL,
    review     INTEGER NOT NULL REFERENCES reviews (id),
    class      TEXT NOT NULL,
    severity   TEXT NOT NULL CHECK (severity IN ('required', 'advisory')),
    text       TEXT NOT NULL,
    remedy     TEXT NOT NULL,
    resolution INTEGER REFERENCES reviews (id),
    PRIMARY KEY (task, number)
);
CREATE INDEX findings_review ON findings (review, number);

-- observed_at of a job is its registration until something was seen. verifier
-- is the SHA-256 of its reporter's credential.
CREATE TABLE jobs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    project       TEXT NOT NULL REFERENCES projects (key),
    task          TEXT NOT NULL REFERENCES tasks (id),
    attempt       TEXT NOT NULL REFERENCES attempts (id),
    name          TEXT NOT NULL,
    external      TEXT NOT NULL,
    argv          TEXT NOT NULL,
    machine       TEXT NOT NULL,
    tree          TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('registered', 'running', 'succeeded', 'failed', 'interrupted', 'not_started')),
    pid           INTEGER,
    started       TEXT NOT NULL DEFAULT '',
    sequence      INTEGER NOT NULL DEFAULT 0,
    exit_status   INTEGER,
    log_digest    TEXT NOT NULL DEFAULT '',
    observe_every INTEGER NOT NULL CHECK (observe_every > 0),
    registered_at INTEGER NOT NULL,
    observed_at   INTEGER NOT NULL,
    ended_at      INTEGER,
    conflict      INTEGER NOT NULL DEFAULT 0,
    verifier      TEXT NOT NULL UNIQUE,
    CHECK (state <> 'succeeded' OR (coalesce(exit_status, 1) = 0 AND ended_at IS NOT NULL))
);
CREATE UNIQUE INDEX jobs_external ON jobs (project, external) WHERE external <> '';
CREATE INDEX jobs_task ON jobs (task, id);
CREATE INDEX jobs_open ON jobs (project, id) WHERE state IN ('registered', 'running');
CREATE INDEX jobs_project ON jobs (project, id);

CREATE TABLE job_observations (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    job      INTEGER NOT NULL REFERENCES jobs (id),
    sequence INTEGER NOT NULL,
    state    TEXT NOT NULL,
    effect   TEXT NOT NULL CHECK (effect IN ('counted', 'evidence', 'conflict')),
    observer TEXT NOT NULL,
    detail   TEXT NOT NULL,
    at       INTEGER NOT NULL
);
CREATE INDEX job_observations_job ON job_observations (job, id);
CREATE INDEX job_observations_uncounted ON job_observations (job, id) WHERE effect <> 'counted';

CREATE TABLE resources (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    project    TEXT NOT NULL REFERENCES projects (key),
    name       TEXT NOT NULL,
    scope      TEXT NOT NULL CHECK (scope IN ('shared', 'machine', 'checkout')),
    capacity   INTEGER NOT NULL CHECK (capacity > 0),
    note       TEXT NOT NULL,
    created_by TEXT NOT NULL,
    at         INTEGER NOT NULL,
    UNIQUE (project, name)
);

-- attempt is the one that answers for the reservation: it changes by adoption.
CREATE TABLE reservations (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    resource    INTEGER NOT NULL REFERENCES resources (id),
    place       TEXT NOT NULL,
    task        TEXT NOT NULL REFERENCES tasks (id),
    attempt     TEXT NOT NULL REFERENCES attempts (id),
    holder      TEXT NOT NULL,
    job         INTEGER REFERENCES jobs (id),
    at          INTEGER NOT NULL,
    released_at INTEGER
);
CREATE INDEX reservations_open ON reservations (resource, place) WHERE released_at IS NULL;
CREATE INDEX reservations_task ON reservations (task, id) WHERE released_at IS NULL;
CREATE INDEX reservations_attempt ON reservations (attempt) WHERE released_at IS NULL;
CREATE INDEX reservations_job ON reservations (job) WHERE released_at IS NULL AND job IS NOT NULL;

-- One row for each unit that is or was held. Units are numbered from 1 to the
-- resource's capacity, and come back with their reservation.
CREATE TABLE reservation_units (
    reservation INTEGER NOT NULL REFERENCES reservations (id),
    resource    INTEGER NOT NULL REFERENCES resources (id),
    place       TEXT NOT NULL,
    unit        INTEGER NOT NULL CHECK (unit > 0),
    released_at INTEGER,
    PRIMARY KEY (reservation, unit)
);
CREATE UNIQUE INDEX reservation_units_held ON reservation_units (resource, place, unit) WHERE released_at IS NULL;

CREATE TABLE tickets (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    project  TEXT NOT NULL REFERENCES projects (key),
    attempt  TEXT NOT NULL REFERENCES attempts (id),
    wants    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    seen_at  INTEGER NOT NULL,
    ended_at INTEGER
);
CREATE INDEX tickets_line ON tickets (project, id) WHERE ended_at IS NULL;

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
    strategy     TEXT NOT NULL CHECK (strategy IN ('merge', 'squash', 'rebase', 'ff')),
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
    reconstructed INTEGER NOT NULL DEFAULT 0,
    observed_tip TEXT NOT NULL DEFAULT '',
    outside      TEXT NOT NULL DEFAULT 'null',
    held_at      INTEGER NOT NULL,
    changed_at   INTEGER NOT NULL,
    landed_at    INTEGER,
    UNIQUE (task, number),
    CHECK ((state = 'landed') = (landed_at IS NOT NULL)),
    CHECK (state NOT IN ('publishing', 'landed') OR verified = 1 OR reconstructed = 1)
);
CREATE UNIQUE INDEX landings_hold ON landings (repository, target) WHERE state IN ('held', 'merged', 'publishing');
CREATE UNIQUE INDEX landings_once ON landings (submission) WHERE state = 'landed';
CREATE INDEX landings_target ON landings (repository, target, held_at);
CREATE INDEX landings_integration ON landings (integration);
CREATE INDEX landings_landed ON landings (project, landed_at) WHERE state = 'landed';
CREATE INDEX landings_since ON landings (repository, target, landed_at) WHERE state = 'landed';

-- landing is the last one that was recorded, and tip what the target was after
-- it. seen is the tip that lacked it, while the target is diverged. After a
-- restore (server.restored_at) a target is compared with the record once.
CREATE TABLE targets (
    repository    TEXT NOT NULL,
    target        TEXT NOT NULL,
    tip           TEXT NOT NULL,
    observed_at   INTEGER NOT NULL,
    landing       TEXT REFERENCES landings (id),
    reconciled_at INTEGER NOT NULL DEFAULT 0,
    seen          TEXT NOT NULL DEFAULT '',
    seen_by       TEXT NOT NULL DEFAULT '',
    seen_at       INTEGER,
    PRIMARY KEY (repository, target),
    CHECK ((seen = '') = (seen_at IS NULL))
);

-- What was learnt. revision counts the changes of what it says; the texts
-- before are lesson_revisions. edited_by, edited_at and edit_reason are of the
-- text in force. session is the one that learnt it, empty for a person.
-- useful and not_useful count lesson_feedback.
CREATE TABLE lessons (
    id            INTEGER PRIMARY KEY,
    project       TEXT NOT NULL REFERENCES projects (key),
    number        INTEGER NOT NULL,
    revision      INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1),
    kind          TEXT NOT NULL CHECK (kind IN ('lesson', 'fact', 'rejected', 'proposal')),
    text          TEXT NOT NULL,
    reopen        TEXT NOT NULL DEFAULT '',
    scope         TEXT NOT NULL DEFAULT '{}',
    tags          TEXT NOT NULL DEFAULT 'null',
    author        TEXT NOT NULL,
    session       TEXT NOT NULL DEFAULT '',
    task          TEXT NOT NULL DEFAULT '',
    submission    TEXT REFERENCES submissions (id),
    receipt       TEXT NOT NULL DEFAULT '',
    source        TEXT NOT NULL DEFAULT '',
    status        TEXT NOT NULL CHECK (status IN ('observed', 'verified', 'disputed', 'superseded')),
    judged        TEXT NOT NULL DEFAULT 'null',
    superseded_by INTEGER,
    rule          TEXT,
    rule_revision INTEGER,
    useful        INTEGER NOT NULL DEFAULT 0 CHECK (useful >= 0),
    not_useful    INTEGER NOT NULL DEFAULT 0 CHECK (not_useful >= 0),
    expires_at    INTEGER,
    at            INTEGER NOT NULL,
    edited_by     TEXT NOT NULL,
    edited_at     INTEGER NOT NULL,
    edit_reason   TEXT NOT NULL DEFAULT '',
    created_seq   INTEGER NOT NULL,
    edited_seq    INTEGER NOT NULL,
    UNIQUE (project, number),
    FOREIGN KEY (project, superseded_by) REFERENCES lessons (project, number),
    FOREIGN KEY (project, rule, rule_revision) REFERENCES rules (project, name, revision),
    CHECK (superseded_by IS NULL OR status = 'superseded' AND superseded_by <> number),
    CHECK ((rule IS NULL) = (rule_revision IS NULL))
);
CREATE INDEX lessons_rank ON lessons (project, status, number);
CREATE INDEX lessons_successor ON lessons (project, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX lessons_expiry ON lessons (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX lessons_submission ON lessons (submission) WHERE submission IS NOT NULL;

-- What a lesson said before, by revision: the JSON of a coord.LessonRevision.
CREATE TABLE lesson_revisions (
    lesson   INTEGER NOT NULL REFERENCES lessons (id),
    revision INTEGER NOT NULL,
    said     TEXT NOT NULL,
    PRIMARY KEY (lesson, revision)
);

-- Whether a lesson helped: the last word of each session, or person.
CREATE TABLE lesson_feedback (
    lesson INTEGER NOT NULL REFERENCES lessons (id),
    voter  TEXT NOT NULL,
    name   TEXT NOT NULL,
    useful INTEGER NOT NULL CHECK (useful IN (0, 1)),
    note   TEXT NOT NULL DEFAULT '',
    at     INTEGER NOT NULL,
    PRIMARY KEY (lesson, voter)
);

-- What lessons are found by: their words, and what they are, each as a letter,
-- a colon and a name, among them the project. A row's number is the lesson's id.
-- As task_words, every database does this in its own way.
CREATE VIRTUAL TABLE lesson_words USING fts5 (
    words,
    content = '', contentless_delete = 1, detail = none, prefix = '3', tokenize = "ascii tokenchars '._:/-'"
);

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
    at       INTEGER NOT NULL, -- of the bytes, as the importer said; 0 when nobody knows
    seen_seq INTEGER NOT NULL,
    PRIMARY KEY (project, path, digest)
);

-- What is wrong in the files that were imported, under the path that it is
-- about first: the JSON of a coord.ImportProblem. An import of the path writes
-- them anew.
CREATE TABLE source_problems (
    project TEXT NOT NULL REFERENCES projects (key),
    path    TEXT NOT NULL,
    number  INTEGER NOT NULL,
    problem TEXT NOT NULL,
    PRIMARY KEY (project, path, number)
);

-- Imports that were begun and are not finished: the sealed plan, how many of
-- its changes were dealt with, and what came of them.
CREATE TABLE imports (
    project TEXT NOT NULL REFERENCES projects (key),
    digest  TEXT NOT NULL,
    plan    TEXT NOT NULL,
    done    INTEGER NOT NULL,
    result  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (project, digest)
);

-- What is remembered of each source record: the JSON of a coord.ImportAnchor.
CREATE TABLE anchors (
    project TEXT NOT NULL REFERENCES projects (key),
    key     TEXT NOT NULL,
    anchor  TEXT NOT NULL,
    PRIMARY KEY (project, key)
);

-- Notes of handoffs that imports brought in: dated history. A later version is
-- added beside the earlier ones, under the number of the first; latest is the
-- one that lists show. day is what they are listed by: coord.HandoffNote.Day.
CREATE TABLE handoffs (
    id        INTEGER PRIMARY KEY,
    project   TEXT NOT NULL REFERENCES projects (key),
    number    INTEGER NOT NULL,
    first     INTEGER NOT NULL,
    latest    INTEGER NOT NULL DEFAULT 1 CHECK (latest IN (0, 1)),
    title     TEXT NOT NULL,
    body      TEXT NOT NULL,
    date      TEXT NOT NULL,
    branch    TEXT NOT NULL,
    revision  TEXT NOT NULL,
    path      TEXT NOT NULL,
    line      INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    commit_id TEXT NOT NULL,
    digest    TEXT NOT NULL,
    written   INTEGER NOT NULL, -- 0 when nobody knows
    day       TEXT NOT NULL,
    at        INTEGER NOT NULL,
    seq       INTEGER NOT NULL,
    UNIQUE (project, number),
    FOREIGN KEY (project, first) REFERENCES handoffs (project, number),
    CHECK (first <= number)
);
CREATE UNIQUE INDEX handoffs_latest ON handoffs (project, first) WHERE latest = 1;
CREATE INDEX handoffs_versions ON handoffs (project, first, number);
CREATE INDEX handoffs_day ON handoffs (project, day, number) WHERE latest = 1;
CREATE INDEX handoffs_path ON handoffs (project, path, day, number) WHERE latest = 1;

-- What the latest versions are found by, as lesson_words: a row's number is
-- the id of the note.
CREATE VIRTUAL TABLE handoff_words USING fts5 (
    words,
    content = '', contentless_delete = 1, detail = none, prefix = '3', tokenize = "ascii tokenchars '._:/-'"
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
CREATE INDEX events_links ON events (project, seq) WHERE kind IN ('task.linked', 'task.unlinked');

-- Surrogate ids start above 1: a bound value that moves to or from 0 or 1
-- makes SQLite prepare a statement again.
INSERT INTO sqlite_sequence (name, seq) VALUES ('checkpoints', 1), ('receipts', 1), ('reviews', 1),
    ('blockers', 1), ('notes', 1), ('jobs', 1), ('job_observations', 1), ('resources', 1), ('reservations', 1), ('tickets', 1);

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
    task, number, attempt, commit_id, tree, base, ref, repository, target, summary, digest, required, evidence, handoff, amendment, resolved, integration, at ON submissions
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
-- +goose StatementBegin
CREATE TRIGGER notes_no_update BEFORE UPDATE ON notes
BEGIN SELECT raise(ABORT, 'notes are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER notes_no_delete BEFORE DELETE ON notes
BEGIN SELECT raise(ABORT, 'notes are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policy_revisions_no_update BEFORE UPDATE ON policy_revisions
BEGIN SELECT raise(ABORT, 'policy revisions are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policy_revisions_no_delete BEFORE DELETE ON policy_revisions
BEGIN SELECT raise(ABORT, 'policy revisions are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER rules_no_update BEFORE UPDATE ON rules
BEGIN SELECT raise(ABORT, 'rules are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER rules_no_delete BEFORE DELETE ON rules
BEGIN SELECT raise(ABORT, 'rules are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER review_voids_no_update BEFORE UPDATE ON review_voids
BEGIN SELECT raise(ABORT, 'review voids are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER review_voids_no_delete BEFORE DELETE ON review_voids
BEGIN SELECT raise(ABORT, 'review voids are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER authorizations_no_update BEFORE UPDATE ON authorizations
BEGIN SELECT raise(ABORT, 'authorizations are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER authorizations_no_delete BEFORE DELETE ON authorizations
BEGIN SELECT raise(ABORT, 'authorizations are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decision_tasks_no_update BEFORE UPDATE ON decision_tasks
BEGIN SELECT raise(ABORT, 'decision tasks are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decision_tasks_no_delete BEFORE DELETE ON decision_tasks
BEGIN SELECT raise(ABORT, 'decision tasks are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER job_observations_no_update BEFORE UPDATE ON job_observations
BEGIN SELECT raise(ABORT, 'job observations are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER job_observations_no_delete BEFORE DELETE ON job_observations
BEGIN SELECT raise(ABORT, 'job observations are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions
BEGIN SELECT raise(ABORT, 'decisions are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_once BEFORE UPDATE ON decisions
WHEN old.answer IS NOT NULL AND new.answer IS NOT old.answer OR old.superseded_by IS NOT NULL AND new.superseded_by IS NOT old.superseded_by
BEGIN SELECT raise(ABORT, 'a decision is answered and superseded once'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_immutable BEFORE UPDATE OF
    project, number, question, options, recommendation, required_actor, reopen, reversible, stands_at, expires_at, escalation, supersedes, asked_by, session, at ON decisions
BEGIN SELECT raise(ABORT, 'decisions are append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER blockers_lifted_once BEFORE UPDATE ON blockers WHEN old.lifted_at IS NOT NULL
BEGIN SELECT raise(ABORT, 'a blocker that was lifted stays lifted'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER jobs_final BEFORE UPDATE OF state ON jobs WHEN old.state IN ('succeeded', 'failed', 'interrupted', 'not_started') AND new.state <> old.state
BEGIN SELECT raise(ABORT, 'a final job stays final'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reservations_end_once BEFORE UPDATE ON reservations WHEN old.released_at IS NOT NULL
BEGIN SELECT raise(ABORT, 'a released reservation stays released'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reservations_free AFTER UPDATE OF released_at ON reservations WHEN new.released_at IS NOT NULL
BEGIN UPDATE reservation_units SET released_at = new.released_at WHERE reservation = new.id AND released_at IS NULL; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reservation_units_capacity BEFORE INSERT ON reservation_units WHEN new.unit > (SELECT capacity FROM resources WHERE id = new.resource)
BEGIN SELECT raise(ABORT, 'a resource has no more units than its capacity'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reservation_units_end_once BEFORE UPDATE ON reservation_units WHEN old.released_at IS NOT NULL
BEGIN SELECT raise(ABORT, 'a released unit stays released'); END;
-- +goose StatementEnd

PRAGMA user_version = 2;
