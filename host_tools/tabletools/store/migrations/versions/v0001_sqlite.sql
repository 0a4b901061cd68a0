CREATE TABLE attestations (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    wanted INTEGER NOT NULL,
    version TEXT NOT NULL,
    files INTEGER,
    bytes INTEGER,
    reported INTEGER,
    digest BLOB,
    seal TEXT,
    CONSTRAINT pk_attestations PRIMARY KEY (id),
    CONSTRAINT ck_attestations_outcome_known CHECK (outcome IN ('match', 'mismatch', 'rollback', 'no_answer'))
)
 STRICT;

CREATE INDEX ix_attestations_device ON attestations (device, outcome, wanted);

CREATE TABLE boots (
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    fell_ns INTEGER,
    CONSTRAINT pk_boots PRIMARY KEY (device, boot)
)
 STRICT;

CREATE TABLE chain (
    seq INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    rows TEXT NOT NULL,
    previous BLOB NOT NULL,
    digest BLOB NOT NULL,
    CONSTRAINT pk_chain PRIMARY KEY (seq),
    CONSTRAINT uq_chain_previous UNIQUE (previous)
)
 STRICT;

CREATE TABLE clock_steps (
    id INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    device INTEGER,
    step_ns INTEGER NOT NULL,
    CONSTRAINT pk_clock_steps PRIMARY KEY (id)
)
 STRICT;

CREATE TABLE devices (
    device INTEGER NOT NULL,
    role TEXT,
    board TEXT,
    firmware TEXT,
    attestation TEXT,
    attested_ns INTEGER,
    first_ns INTEGER NOT NULL,
    heard_ns INTEGER NOT NULL,
    CONSTRAINT pk_devices PRIMARY KEY (device)
)
 STRICT;

CREATE TABLE gaps (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    seen_ns INTEGER NOT NULL,
    closed_ns INTEGER,
    closed_by TEXT,
    CONSTRAINT pk_gaps PRIMARY KEY (id),
    CONSTRAINT ck_gaps_closed_by_known CHECK (closed_by IN ('filled', 'nothing_waiting')),
    CONSTRAINT ck_gaps_both CHECK ((closed_ns IS NULL) = (closed_by IS NULL)),
    CONSTRAINT ck_gaps_range CHECK (last >= first)
)
 STRICT;

CREATE INDEX ix_gaps_open ON gaps (device, boot, first) WHERE closed_ns IS NULL;

CREATE TABLE idempotency_keys (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    answer TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_idempotency_keys PRIMARY KEY (scope, name)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE line_sessions (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    key_number INTEGER NOT NULL,
    host_nonce BLOB NOT NULL,
    device_nonce BLOB NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_line_sessions PRIMARY KEY (id),
    CONSTRAINT uq_line_sessions_device_boot_host_nonce_device_nonce UNIQUE (device, boot, host_nonce, device_nonce)
)
 STRICT;

CREATE TABLE orders (
    id INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    device INTEGER NOT NULL,
    author TEXT NOT NULL,
    command INTEGER NOT NULL,
    "key" INTEGER NOT NULL,
    value INTEGER NOT NULL,
    outcome TEXT,
    CONSTRAINT pk_orders PRIMARY KEY (id)
)
 STRICT;

CREATE TABLE readings (
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    "key" INTEGER NOT NULL,
    value INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_readings PRIMARY KEY (device, boot, counter)
)
 STRICT;

CREATE TABLE tables (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    device INTEGER,
    currency TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    created_ns INTEGER NOT NULL,
    CONSTRAINT pk_tables PRIMARY KEY (id),
    CONSTRAINT ck_tables_enabled_known CHECK (enabled IN (0, 1)),
    CONSTRAINT ck_tables_currency_code CHECK (length(currency) = 3),
    CONSTRAINT uq_tables_name UNIQUE (name)
)
 STRICT;

CREATE UNIQUE INDEX ux_tables_device ON tables (device) WHERE device IS NOT NULL;

CREATE TABLE users (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    password_hash TEXT,
    enabled INTEGER NOT NULL,
    created_ns INTEGER NOT NULL,
    CONSTRAINT pk_users PRIMARY KEY (id),
    CONSTRAINT ck_users_role_known CHECK (role IN ('dealer', 'supervisor', 'cashier', 'technician', 'auditor')),
    CONSTRAINT ck_users_enabled_known CHECK (enabled IN (0, 1)),
    CONSTRAINT uq_users_name UNIQUE (name)
)
 STRICT;

CREATE TABLE accounts (
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    player_number TEXT,
    currency TEXT NOT NULL,
    table_id INTEGER,
    balance_cents INTEGER NOT NULL,
    created_ns INTEGER NOT NULL,
    CONSTRAINT pk_accounts PRIMARY KEY (id),
    CONSTRAINT ck_accounts_kind_known CHECK (kind IN ('player', 'escrow', 'house', 'cash', 'meter', 'rake')),
    CONSTRAINT ck_accounts_numbered_players CHECK ((kind = 'player') = (player_number IS NOT NULL)),
    CONSTRAINT fk_accounts_table_id FOREIGN KEY(table_id) REFERENCES tables (id)
)
 STRICT;

CREATE UNIQUE INDEX ux_accounts_name ON accounts (kind, name, currency) WHERE kind <> 'player';

CREATE UNIQUE INDEX ux_accounts_player_number ON accounts (player_number, currency) WHERE kind = 'player';

CREATE TABLE audit_log (
    seq INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    user_id INTEGER,
    who TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL,
    CONSTRAINT pk_audit_log PRIMARY KEY (seq),
    CONSTRAINT fk_audit_log_user_id FOREIGN KEY(user_id) REFERENCES users (id)
)
 STRICT;

CREATE TABLE frames (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    type INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    round INTEGER NOT NULL,
    uptime_ms INTEGER NOT NULL,
    payload TEXT NOT NULL,
    body BLOB NOT NULL,
    raw BLOB NOT NULL,
    seal TEXT NOT NULL,
    line_session_id INTEGER,
    counts INTEGER NOT NULL,
    received_ns INTEGER NOT NULL,
    made_ns INTEGER,
    uncertainty_ns INTEGER,
    CONSTRAINT pk_frames PRIMARY KEY (id),
    CONSTRAINT ck_frames_seal_known CHECK (seal IN ('none', 'unverified', 'verified')),
    CONSTRAINT ck_frames_counts_known CHECK (counts IN (0, 1)),
    CONSTRAINT ck_frames_only_verified CHECK (counts = 0 OR seal = 'verified'),
    CONSTRAINT uq_frames_device_boot_counter_seal UNIQUE (device, boot, counter, seal),
    CONSTRAINT fk_frames_line_session_id FOREIGN KEY(line_session_id) REFERENCES line_sessions (id)
)
 STRICT;

CREATE INDEX ix_frames_device_round ON frames (device, round);

CREATE TABLE leases (
    table_id INTEGER NOT NULL,
    holder TEXT NOT NULL,
    token INTEGER NOT NULL,
    expires_ns INTEGER NOT NULL,
    CONSTRAINT pk_leases PRIMARY KEY (table_id),
    CONSTRAINT fk_leases_table_id FOREIGN KEY(table_id) REFERENCES tables (id)
)
 STRICT;

CREATE TABLE maintenance (
    id INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    table_id INTEGER,
    device INTEGER,
    asset TEXT,
    user_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    CONSTRAINT pk_maintenance PRIMARY KEY (id),
    CONSTRAINT fk_maintenance_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_maintenance_user_id FOREIGN KEY(user_id) REFERENCES users (id)
)
 STRICT;

CREATE TABLE order_records (
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    CONSTRAINT pk_order_records PRIMARY KEY (device, boot, counter),
    CONSTRAINT fk_order_records_order_id FOREIGN KEY(order_id) REFERENCES orders (id)
)
 STRICT;

CREATE TABLE outbox (
    id INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    table_id INTEGER,
    at_ns INTEGER NOT NULL,
    data TEXT NOT NULL,
    CONSTRAINT pk_outbox PRIMARY KEY (id),
    CONSTRAINT uq_outbox_event_id UNIQUE (event_id),
    CONSTRAINT fk_outbox_table_id FOREIGN KEY(table_id) REFERENCES tables (id)
)
 STRICT;

CREATE TABLE terms (
    id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    rules TEXT NOT NULL,
    variant TEXT,
    options TEXT NOT NULL,
    limits TEXT NOT NULL,
    void_policy TEXT NOT NULL,
    dice_reading TEXT,
    at_ns INTEGER NOT NULL,
    author INTEGER,
    CONSTRAINT pk_terms PRIMARY KEY (id),
    CONSTRAINT ck_terms_void_policy_known CHECK (void_policy IN ('refund', 'stand')),
    CONSTRAINT ck_terms_dice_reading_known CHECK (dice_reading IN ('host', 'both', 'device')),
    CONSTRAINT fk_terms_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_terms_author FOREIGN KEY(author) REFERENCES users (id)
)
 STRICT;

CREATE INDEX ix_terms_table_id ON terms (table_id, id);

CREATE TABLE traces (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    round INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    raw BLOB NOT NULL,
    line_session_id INTEGER,
    received_ns INTEGER NOT NULL,
    CONSTRAINT pk_traces PRIMARY KEY (id),
    CONSTRAINT uq_traces_device_round UNIQUE (device, round),
    CONSTRAINT fk_traces_line_session_id FOREIGN KEY(line_session_id) REFERENCES line_sessions (id)
)
 STRICT;

CREATE TABLE deliveries (
    sink TEXT NOT NULL,
    outbox_id INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    tried_ns INTEGER NOT NULL,
    next_ns INTEGER NOT NULL,
    delivered_ns INTEGER,
    error TEXT,
    CONSTRAINT pk_deliveries PRIMARY KEY (sink, outbox_id),
    CONSTRAINT fk_deliveries_outbox_id FOREIGN KEY(outbox_id) REFERENCES outbox (id)
)
 STRICT;

CREATE INDEX ix_deliveries_waiting ON deliveries (sink, outbox_id) WHERE delivered_ns IS NULL;

CREATE TABLE faults (
    frame_id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    code INTEGER NOT NULL,
    raised INTEGER NOT NULL,
    CONSTRAINT pk_faults PRIMARY KEY (frame_id),
    CONSTRAINT ck_faults_raised_known CHECK (raised IN (0, 1)),
    CONSTRAINT fk_faults_frame_id FOREIGN KEY(frame_id) REFERENCES frames (id)
)
 STRICT;

CREATE INDEX ix_faults_device_boot_counter ON faults (device, boot, counter);

CREATE TABLE held_payouts (
    id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    amount_cents INTEGER NOT NULL,
    paid_cents INTEGER NOT NULL,
    limit_cents INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_held_payouts PRIMARY KEY (id),
    CONSTRAINT ck_held_payouts_amount CHECK (amount_cents > 0),
    CONSTRAINT ck_held_payouts_held CHECK (paid_cents >= limit_cents),
    CONSTRAINT fk_held_payouts_account_id FOREIGN KEY(account_id) REFERENCES accounts (id),
    CONSTRAINT fk_held_payouts_user_id FOREIGN KEY(user_id) REFERENCES users (id)
)
 STRICT;

CREATE TABLE rounds (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    number INTEGER NOT NULL,
    table_id INTEGER,
    terms_id INTEGER,
    opened INTEGER,
    closed INTEGER,
    ended INTEGER,
    verdict TEXT NOT NULL,
    settled INTEGER NOT NULL,
    CONSTRAINT pk_rounds PRIMARY KEY (id),
    CONSTRAINT ck_rounds_verdict_known CHECK (verdict IN ('running', 'pending', 'believed', 'unexpected')),
    CONSTRAINT uq_rounds_device_number UNIQUE (device, number),
    CONSTRAINT fk_rounds_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_rounds_terms_id FOREIGN KEY(terms_id) REFERENCES terms (id),
    CONSTRAINT fk_rounds_opened FOREIGN KEY(opened) REFERENCES frames (id),
    CONSTRAINT fk_rounds_closed FOREIGN KEY(closed) REFERENCES frames (id),
    CONSTRAINT fk_rounds_ended FOREIGN KEY(ended) REFERENCES frames (id)
)
 STRICT;

CREATE INDEX ix_rounds_due ON rounds (device, number) WHERE settled = 0;

CREATE INDEX ix_rounds_table_id ON rounds (table_id, id);

CREATE TABLE sessions (
    id INTEGER NOT NULL,
    token_hash BLOB NOT NULL,
    user_id INTEGER,
    account_id INTEGER,
    table_id INTEGER,
    terminal TEXT,
    opened_ns INTEGER NOT NULL,
    expires_ns INTEGER NOT NULL,
    closed_ns INTEGER,
    closed_by TEXT,
    CONSTRAINT pk_sessions PRIMARY KEY (id),
    CONSTRAINT ck_sessions_of_one CHECK ((user_id IS NULL) <> (account_id IS NULL)),
    CONSTRAINT uq_sessions_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id),
    CONSTRAINT fk_sessions_account_id FOREIGN KEY(account_id) REFERENCES accounts (id),
    CONSTRAINT fk_sessions_table_id FOREIGN KEY(table_id) REFERENCES tables (id)
)
 STRICT;

CREATE INDEX ix_sessions_user_id ON sessions (user_id) WHERE closed_ns IS NULL;

CREATE UNIQUE INDEX ux_sessions_player ON sessions (account_id) WHERE account_id IS NOT NULL AND closed_ns IS NULL;

CREATE TABLE alarms (
    id INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    device INTEGER,
    table_id INTEGER,
    round_id INTEGER,
    kind TEXT NOT NULL,
    code INTEGER,
    text TEXT NOT NULL,
    raw BLOB,
    body BLOB,
    repeats INTEGER NOT NULL,
    acknowledged_ns INTEGER,
    acknowledged_by INTEGER,
    note TEXT,
    CONSTRAINT pk_alarms PRIMARY KEY (id),
    CONSTRAINT ck_alarms_both CHECK ((acknowledged_ns IS NULL) = (acknowledged_by IS NULL)),
    CONSTRAINT fk_alarms_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_alarms_round_id FOREIGN KEY(round_id) REFERENCES rounds (id),
    CONSTRAINT fk_alarms_acknowledged_by FOREIGN KEY(acknowledged_by) REFERENCES users (id)
)
 STRICT;

CREATE INDEX ix_alarms_device_kind ON alarms (device, kind);

CREATE INDEX ix_alarms_standing ON alarms (id) WHERE acknowledged_ns IS NULL;

CREATE TABLE late_refusals (
    id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    round_id INTEGER,
    player TEXT NOT NULL,
    slip TEXT NOT NULL,
    stake_cents INTEGER NOT NULL,
    code TEXT NOT NULL,
    terminal TEXT,
    at_ns INTEGER NOT NULL,
    device_boot INTEGER,
    device_ms INTEGER,
    uncertainty_ms INTEGER,
    clock_alarm INTEGER,
    CONSTRAINT pk_late_refusals PRIMARY KEY (id),
    CONSTRAINT fk_late_refusals_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_late_refusals_round_id FOREIGN KEY(round_id) REFERENCES rounds (id)
)
 STRICT;

CREATE TABLE postings (
    id INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    currency TEXT NOT NULL,
    table_id INTEGER,
    round_id INTEGER,
    reverses INTEGER,
    user_id INTEGER,
    note TEXT,
    CONSTRAINT pk_postings PRIMARY KEY (id),
    CONSTRAINT ck_postings_kind_known CHECK (kind IN ('deposit', 'payout', 'bet', 'withdrawal', 'settlement', 'reversal', 'ruling', 'seed')),
    CONSTRAINT fk_postings_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_postings_round_id FOREIGN KEY(round_id) REFERENCES rounds (id),
    CONSTRAINT fk_postings_reverses FOREIGN KEY(reverses) REFERENCES postings (id),
    CONSTRAINT fk_postings_user_id FOREIGN KEY(user_id) REFERENCES users (id)
)
 STRICT;

CREATE INDEX ix_postings_round_id ON postings (round_id);

CREATE UNIQUE INDEX ux_postings_reverses ON postings (reverses) WHERE reverses IS NOT NULL;

CREATE TABLE results (
    round_id INTEGER NOT NULL,
    frame_id INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    is_void INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_results PRIMARY KEY (round_id),
    CONSTRAINT ck_results_is_void_known CHECK (is_void IN (0, 1)),
    CONSTRAINT fk_results_round_id FOREIGN KEY(round_id) REFERENCES rounds (id),
    CONSTRAINT fk_results_frame_id FOREIGN KEY(frame_id) REFERENCES frames (id)
)
 STRICT;

CREATE TABLE second_readings (
    round_id INTEGER NOT NULL,
    trace_id INTEGER,
    dice TEXT NOT NULL,
    reason TEXT NOT NULL,
    release TEXT NOT NULL,
    referred INTEGER NOT NULL,
    second_picture BLOB,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_second_readings PRIMARY KEY (round_id),
    CONSTRAINT ck_second_readings_referred_known CHECK (referred IN (0, 1)),
    CONSTRAINT fk_second_readings_round_id FOREIGN KEY(round_id) REFERENCES rounds (id),
    CONSTRAINT fk_second_readings_trace_id FOREIGN KEY(trace_id) REFERENCES traces (id)
)
 STRICT;

CREATE TABLE table_states (
    table_id INTEGER NOT NULL,
    round_id INTEGER,
    bets_open INTEGER NOT NULL,
    cause TEXT NOT NULL,
    since_ns INTEGER NOT NULL,
    CONSTRAINT pk_table_states PRIMARY KEY (table_id),
    CONSTRAINT ck_table_states_bets_open_known CHECK (bets_open IN (0, 1)),
    CONSTRAINT ck_table_states_open_for_a_round CHECK (bets_open = 0 OR round_id IS NOT NULL),
    CONSTRAINT fk_table_states_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_table_states_round_id FOREIGN KEY(round_id) REFERENCES rounds (id)
)
 STRICT;

CREATE TABLE bets (
    id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    round_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    slip TEXT NOT NULL,
    stake_cents INTEGER NOT NULL,
    state TEXT,
    standing TEXT NOT NULL,
    placed_ns INTEGER NOT NULL,
    after_open_ms INTEGER,
    session_id INTEGER,
    terminal TEXT,
    posting_id INTEGER,
    replaces INTEGER,
    carried_from INTEGER,
    carried_generation INTEGER,
    device_boot INTEGER,
    device_ms INTEGER,
    uncertainty_ms INTEGER,
    clock_alarm INTEGER,
    CONSTRAINT pk_bets PRIMARY KEY (id),
    CONSTRAINT ck_bets_standing_known CHECK (standing IN ('valid', 'referred')),
    CONSTRAINT ck_bets_stake CHECK (stake_cents > 0),
    CONSTRAINT ck_bets_paid_or_carried CHECK ((posting_id IS NULL) = (carried_from IS NOT NULL)),
    CONSTRAINT ck_bets_carried_whole CHECK ((carried_from IS NULL) = (carried_generation IS NULL)),
    CONSTRAINT fk_bets_table_id FOREIGN KEY(table_id) REFERENCES tables (id),
    CONSTRAINT fk_bets_round_id FOREIGN KEY(round_id) REFERENCES rounds (id),
    CONSTRAINT fk_bets_account_id FOREIGN KEY(account_id) REFERENCES accounts (id),
    CONSTRAINT fk_bets_session_id FOREIGN KEY(session_id) REFERENCES sessions (id),
    CONSTRAINT fk_bets_posting_id FOREIGN KEY(posting_id) REFERENCES postings (id),
    CONSTRAINT fk_bets_replaces FOREIGN KEY(replaces) REFERENCES bets (id),
    CONSTRAINT fk_bets_carried_from FOREIGN KEY(carried_from) REFERENCES bets (id)
)
 STRICT;

CREATE INDEX ix_bets_referred ON bets (round_id) WHERE standing = 'referred';

CREATE INDEX ix_bets_round_id ON bets (round_id, account_id);

CREATE UNIQUE INDEX ux_bets_carried ON bets (carried_from, carried_generation) WHERE carried_from IS NOT NULL;

CREATE UNIQUE INDEX ux_bets_replaces ON bets (replaces) WHERE replaces IS NOT NULL;

CREATE TABLE ledger_lines (
    posting_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    amount_cents INTEGER NOT NULL,
    CONSTRAINT pk_ledger_lines PRIMARY KEY (posting_id, account_id),
    CONSTRAINT ck_ledger_lines_not_nothing CHECK (amount_cents <> 0),
    CONSTRAINT fk_ledger_lines_posting_id FOREIGN KEY(posting_id) REFERENCES postings (id),
    CONSTRAINT fk_ledger_lines_account_id FOREIGN KEY(account_id) REFERENCES accounts (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX ix_ledger_lines_account_id ON ledger_lines (account_id, posting_id);

CREATE TABLE payout_decisions (
    held_payout_id INTEGER NOT NULL,
    posting_id INTEGER,
    first_user INTEGER NOT NULL,
    second_user INTEGER,
    reason TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_payout_decisions PRIMARY KEY (held_payout_id),
    CONSTRAINT ck_payout_decisions_two_users CHECK (first_user <> second_user),
    CONSTRAINT ck_payout_decisions_released_by_two CHECK ((posting_id IS NULL) = (second_user IS NULL)),
    CONSTRAINT fk_payout_decisions_held_payout_id FOREIGN KEY(held_payout_id) REFERENCES held_payouts (id),
    CONSTRAINT fk_payout_decisions_posting_id FOREIGN KEY(posting_id) REFERENCES postings (id),
    CONSTRAINT fk_payout_decisions_first_user FOREIGN KEY(first_user) REFERENCES users (id),
    CONSTRAINT fk_payout_decisions_second_user FOREIGN KEY(second_user) REFERENCES users (id)
)
 STRICT;

CREATE UNIQUE INDEX ux_payout_decisions_posting ON payout_decisions (posting_id) WHERE posting_id IS NOT NULL;

CREATE TABLE round_settlements (
    round_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    posting_id INTEGER NOT NULL,
    reversal_id INTEGER,
    outcome TEXT NOT NULL,
    is_void INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    bets INTEGER NOT NULL,
    stake_cents INTEGER NOT NULL,
    win_cents INTEGER NOT NULL,
    back_cents INTEGER NOT NULL,
    live_cents INTEGER NOT NULL,
    lost_cents INTEGER NOT NULL,
    first_user INTEGER,
    second_user INTEGER,
    reason TEXT,
    CONSTRAINT pk_round_settlements PRIMARY KEY (round_id, generation),
    CONSTRAINT ck_round_settlements_is_void_known CHECK (is_void IN (0, 1)),
    CONSTRAINT ck_round_settlements_balanced CHECK (stake_cents = back_cents + live_cents + lost_cents),
    CONSTRAINT ck_round_settlements_corrected_by_two CHECK (generation = 1 OR second_user IS NOT NULL),
    CONSTRAINT ck_round_settlements_two_users CHECK (first_user <> second_user),
    CONSTRAINT ck_round_settlements_both_users CHECK ((first_user IS NULL) = (second_user IS NULL)),
    CONSTRAINT fk_round_settlements_round_id FOREIGN KEY(round_id) REFERENCES rounds (id),
    CONSTRAINT fk_round_settlements_posting_id FOREIGN KEY(posting_id) REFERENCES postings (id),
    CONSTRAINT fk_round_settlements_reversal_id FOREIGN KEY(reversal_id) REFERENCES postings (id),
    CONSTRAINT fk_round_settlements_first_user FOREIGN KEY(first_user) REFERENCES users (id),
    CONSTRAINT fk_round_settlements_second_user FOREIGN KEY(second_user) REFERENCES users (id)
)
 STRICT;

CREATE TABLE stops (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    since_ns INTEGER NOT NULL,
    reason TEXT NOT NULL,
    alarm_id INTEGER NOT NULL,
    released_ns INTEGER,
    released_by INTEGER,
    released_why TEXT,
    CONSTRAINT pk_stops PRIMARY KEY (id),
    CONSTRAINT ck_stops_release_whole CHECK ((released_ns IS NULL) = (released_by IS NULL) AND (released_ns IS NULL) = (released_why IS NULL)),
    CONSTRAINT fk_stops_alarm_id FOREIGN KEY(alarm_id) REFERENCES alarms (id),
    CONSTRAINT fk_stops_released_by FOREIGN KEY(released_by) REFERENCES users (id)
)
 STRICT;

CREATE UNIQUE INDEX ux_stops_standing ON stops (device) WHERE released_ns IS NULL;

CREATE TABLE unread_records (
    id INTEGER NOT NULL,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    type INTEGER NOT NULL,
    round INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    problem TEXT NOT NULL,
    body BLOB NOT NULL,
    raw BLOB NOT NULL,
    seal TEXT NOT NULL,
    line_session_id INTEGER,
    counts INTEGER NOT NULL,
    received_ns INTEGER NOT NULL,
    made_ns INTEGER,
    uncertainty_ns INTEGER,
    alarm_id INTEGER NOT NULL,
    closed_ns INTEGER,
    closed_by TEXT,
    released_by INTEGER,
    released_why TEXT,
    CONSTRAINT pk_unread_records PRIMARY KEY (id),
    CONSTRAINT ck_unread_records_closed_by_known CHECK (closed_by IN ('read', 'released')),
    CONSTRAINT ck_unread_records_both CHECK ((closed_ns IS NULL) = (closed_by IS NULL)),
    CONSTRAINT ck_unread_records_named CHECK (closed_by IS NULL OR (closed_by = 'released') = (released_by IS NOT NULL)),
    CONSTRAINT ck_unread_records_why CHECK ((released_by IS NULL) = (released_why IS NULL)),
    CONSTRAINT uq_unread_records_device_boot_counter UNIQUE (device, boot, counter),
    CONSTRAINT ck_unread_records_counts_known CHECK (counts IN (0, 1)),
    CONSTRAINT fk_unread_records_line_session_id FOREIGN KEY(line_session_id) REFERENCES line_sessions (id),
    CONSTRAINT fk_unread_records_alarm_id FOREIGN KEY(alarm_id) REFERENCES alarms (id),
    CONSTRAINT fk_unread_records_released_by FOREIGN KEY(released_by) REFERENCES users (id)
)
 STRICT;

CREATE INDEX ix_unread_records_open ON unread_records (device, boot, counter) WHERE closed_ns IS NULL;

CREATE TABLE referrals (
    bet_id INTEGER NOT NULL,
    round_id INTEGER NOT NULL,
    cause TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_referrals PRIMARY KEY (bet_id),
    CONSTRAINT ck_referrals_cause_known CHECK (cause IN ('not_before', 'no_reading', 'other_boot')),
    CONSTRAINT fk_referrals_bet_id FOREIGN KEY(bet_id) REFERENCES bets (id),
    CONSTRAINT fk_referrals_round_id FOREIGN KEY(round_id) REFERENCES rounds (id)
)
 STRICT;

CREATE INDEX ix_referrals_round_id ON referrals (round_id);

CREATE TABLE rulings (
    bet_id INTEGER NOT NULL,
    is_valid INTEGER NOT NULL,
    first_user INTEGER NOT NULL,
    second_user INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_rulings PRIMARY KEY (bet_id),
    CONSTRAINT ck_rulings_is_valid_known CHECK (is_valid IN (0, 1)),
    CONSTRAINT ck_rulings_two_users CHECK (first_user <> second_user),
    CONSTRAINT fk_rulings_bet_id FOREIGN KEY(bet_id) REFERENCES bets (id),
    CONSTRAINT fk_rulings_first_user FOREIGN KEY(first_user) REFERENCES users (id),
    CONSTRAINT fk_rulings_second_user FOREIGN KEY(second_user) REFERENCES users (id)
)
 STRICT;

CREATE TABLE settlements (
    bet_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    round_id INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    stake_cents INTEGER NOT NULL,
    win_cents INTEGER NOT NULL,
    back_cents INTEGER NOT NULL,
    live_cents INTEGER NOT NULL,
    lost_cents INTEGER NOT NULL,
    state TEXT,
    rule TEXT NOT NULL,
    CONSTRAINT pk_settlements PRIMARY KEY (bet_id, generation),
    CONSTRAINT ck_settlements_balanced CHECK (stake_cents = back_cents + live_cents + lost_cents),
    CONSTRAINT ck_settlements_none_negative CHECK (win_cents >= 0 AND back_cents >= 0 AND live_cents >= 0),
    CONSTRAINT fk_settlements_bet_id FOREIGN KEY(bet_id) REFERENCES bets (id),
    CONSTRAINT fk_settlements_round_id FOREIGN KEY(round_id) REFERENCES rounds (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX ix_settlements_live ON settlements (round_id) WHERE live_cents > 0;

CREATE INDEX ix_settlements_round_id ON settlements (round_id, generation);

CREATE TABLE withdrawals (
    bet_id INTEGER NOT NULL,
    posting_id INTEGER NOT NULL,
    cause TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    CONSTRAINT pk_withdrawals PRIMARY KEY (bet_id),
    CONSTRAINT ck_withdrawals_cause_known CHECK (cause IN ('withdrawn', 'changed', 'ruled_invalid', 'corrected')),
    CONSTRAINT fk_withdrawals_bet_id FOREIGN KEY(bet_id) REFERENCES bets (id),
    CONSTRAINT fk_withdrawals_posting_id FOREIGN KEY(posting_id) REFERENCES postings (id)
)
 STRICT;

CREATE TRIGGER attestations_no_update BEFORE UPDATE ON attestations BEGIN SELECT RAISE(ABORT, 'attestations only grows: UPDATE refused'); END;

CREATE TRIGGER attestations_no_delete BEFORE DELETE ON attestations BEGIN SELECT RAISE(ABORT, 'attestations only grows: DELETE refused'); END;

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'audit_log only grows: UPDATE refused'); END;

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log BEGIN SELECT RAISE(ABORT, 'audit_log only grows: DELETE refused'); END;

CREATE TRIGGER bets_no_update BEFORE UPDATE ON bets BEGIN SELECT RAISE(ABORT, 'bets only grows: UPDATE refused'); END;

CREATE TRIGGER bets_no_delete BEFORE DELETE ON bets BEGIN SELECT RAISE(ABORT, 'bets only grows: DELETE refused'); END;

CREATE TRIGGER chain_no_update BEFORE UPDATE ON chain BEGIN SELECT RAISE(ABORT, 'chain only grows: UPDATE refused'); END;

CREATE TRIGGER chain_no_delete BEFORE DELETE ON chain BEGIN SELECT RAISE(ABORT, 'chain only grows: DELETE refused'); END;

CREATE TRIGGER clock_steps_no_update BEFORE UPDATE ON clock_steps BEGIN SELECT RAISE(ABORT, 'clock_steps only grows: UPDATE refused'); END;

CREATE TRIGGER clock_steps_no_delete BEFORE DELETE ON clock_steps BEGIN SELECT RAISE(ABORT, 'clock_steps only grows: DELETE refused'); END;

CREATE TRIGGER faults_no_update BEFORE UPDATE ON faults BEGIN SELECT RAISE(ABORT, 'faults only grows: UPDATE refused'); END;

CREATE TRIGGER faults_no_delete BEFORE DELETE ON faults BEGIN SELECT RAISE(ABORT, 'faults only grows: DELETE refused'); END;

CREATE TRIGGER frames_no_update BEFORE UPDATE ON frames BEGIN SELECT RAISE(ABORT, 'frames only grows: UPDATE refused'); END;

CREATE TRIGGER frames_no_delete BEFORE DELETE ON frames BEGIN SELECT RAISE(ABORT, 'frames only grows: DELETE refused'); END;

CREATE TRIGGER held_payouts_no_update BEFORE UPDATE ON held_payouts BEGIN SELECT RAISE(ABORT, 'held_payouts only grows: UPDATE refused'); END;

CREATE TRIGGER held_payouts_no_delete BEFORE DELETE ON held_payouts BEGIN SELECT RAISE(ABORT, 'held_payouts only grows: DELETE refused'); END;

CREATE TRIGGER idempotency_keys_no_update BEFORE UPDATE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'idempotency_keys only grows: UPDATE refused'); END;

CREATE TRIGGER idempotency_keys_no_delete BEFORE DELETE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'idempotency_keys only grows: DELETE refused'); END;

CREATE TRIGGER late_refusals_no_update BEFORE UPDATE ON late_refusals BEGIN SELECT RAISE(ABORT, 'late_refusals only grows: UPDATE refused'); END;

CREATE TRIGGER late_refusals_no_delete BEFORE DELETE ON late_refusals BEGIN SELECT RAISE(ABORT, 'late_refusals only grows: DELETE refused'); END;

CREATE TRIGGER ledger_lines_no_update BEFORE UPDATE ON ledger_lines BEGIN SELECT RAISE(ABORT, 'ledger_lines only grows: UPDATE refused'); END;

CREATE TRIGGER ledger_lines_no_delete BEFORE DELETE ON ledger_lines BEGIN SELECT RAISE(ABORT, 'ledger_lines only grows: DELETE refused'); END;

CREATE TRIGGER line_sessions_no_update BEFORE UPDATE ON line_sessions BEGIN SELECT RAISE(ABORT, 'line_sessions only grows: UPDATE refused'); END;

CREATE TRIGGER line_sessions_no_delete BEFORE DELETE ON line_sessions BEGIN SELECT RAISE(ABORT, 'line_sessions only grows: DELETE refused'); END;

CREATE TRIGGER maintenance_no_update BEFORE UPDATE ON maintenance BEGIN SELECT RAISE(ABORT, 'maintenance only grows: UPDATE refused'); END;

CREATE TRIGGER maintenance_no_delete BEFORE DELETE ON maintenance BEGIN SELECT RAISE(ABORT, 'maintenance only grows: DELETE refused'); END;

CREATE TRIGGER order_records_no_update BEFORE UPDATE ON order_records BEGIN SELECT RAISE(ABORT, 'order_records only grows: UPDATE refused'); END;

CREATE TRIGGER order_records_no_delete BEFORE DELETE ON order_records BEGIN SELECT RAISE(ABORT, 'order_records only grows: DELETE refused'); END;

CREATE TRIGGER outbox_no_update BEFORE UPDATE ON outbox BEGIN SELECT RAISE(ABORT, 'outbox only grows: UPDATE refused'); END;

CREATE TRIGGER outbox_no_delete BEFORE DELETE ON outbox BEGIN SELECT RAISE(ABORT, 'outbox only grows: DELETE refused'); END;

CREATE TRIGGER payout_decisions_no_update BEFORE UPDATE ON payout_decisions BEGIN SELECT RAISE(ABORT, 'payout_decisions only grows: UPDATE refused'); END;

CREATE TRIGGER payout_decisions_no_delete BEFORE DELETE ON payout_decisions BEGIN SELECT RAISE(ABORT, 'payout_decisions only grows: DELETE refused'); END;

CREATE TRIGGER postings_no_update BEFORE UPDATE ON postings BEGIN SELECT RAISE(ABORT, 'postings only grows: UPDATE refused'); END;

CREATE TRIGGER postings_no_delete BEFORE DELETE ON postings BEGIN SELECT RAISE(ABORT, 'postings only grows: DELETE refused'); END;

CREATE TRIGGER readings_no_update BEFORE UPDATE ON readings BEGIN SELECT RAISE(ABORT, 'readings only grows: UPDATE refused'); END;

CREATE TRIGGER readings_no_delete BEFORE DELETE ON readings BEGIN SELECT RAISE(ABORT, 'readings only grows: DELETE refused'); END;

CREATE TRIGGER referrals_no_update BEFORE UPDATE ON referrals BEGIN SELECT RAISE(ABORT, 'referrals only grows: UPDATE refused'); END;

CREATE TRIGGER referrals_no_delete BEFORE DELETE ON referrals BEGIN SELECT RAISE(ABORT, 'referrals only grows: DELETE refused'); END;

CREATE TRIGGER results_no_update BEFORE UPDATE ON results BEGIN SELECT RAISE(ABORT, 'results only grows: UPDATE refused'); END;

CREATE TRIGGER results_no_delete BEFORE DELETE ON results BEGIN SELECT RAISE(ABORT, 'results only grows: DELETE refused'); END;

CREATE TRIGGER round_settlements_no_update BEFORE UPDATE ON round_settlements BEGIN SELECT RAISE(ABORT, 'round_settlements only grows: UPDATE refused'); END;

CREATE TRIGGER round_settlements_no_delete BEFORE DELETE ON round_settlements BEGIN SELECT RAISE(ABORT, 'round_settlements only grows: DELETE refused'); END;

CREATE TRIGGER rulings_no_update BEFORE UPDATE ON rulings BEGIN SELECT RAISE(ABORT, 'rulings only grows: UPDATE refused'); END;

CREATE TRIGGER rulings_no_delete BEFORE DELETE ON rulings BEGIN SELECT RAISE(ABORT, 'rulings only grows: DELETE refused'); END;

CREATE TRIGGER second_readings_no_update BEFORE UPDATE ON second_readings BEGIN SELECT RAISE(ABORT, 'second_readings only grows: UPDATE refused'); END;

CREATE TRIGGER second_readings_no_delete BEFORE DELETE ON second_readings BEGIN SELECT RAISE(ABORT, 'second_readings only grows: DELETE refused'); END;

CREATE TRIGGER settlements_no_update BEFORE UPDATE ON settlements BEGIN SELECT RAISE(ABORT, 'settlements only grows: UPDATE refused'); END;

CREATE TRIGGER settlements_no_delete BEFORE DELETE ON settlements BEGIN SELECT RAISE(ABORT, 'settlements only grows: DELETE refused'); END;

CREATE TRIGGER terms_no_update BEFORE UPDATE ON terms BEGIN SELECT RAISE(ABORT, 'terms only grows: UPDATE refused'); END;

CREATE TRIGGER terms_no_delete BEFORE DELETE ON terms BEGIN SELECT RAISE(ABORT, 'terms only grows: DELETE refused'); END;

CREATE TRIGGER traces_no_update BEFORE UPDATE ON traces BEGIN SELECT RAISE(ABORT, 'traces only grows: UPDATE refused'); END;

CREATE TRIGGER traces_no_delete BEFORE DELETE ON traces BEGIN SELECT RAISE(ABORT, 'traces only grows: DELETE refused'); END;

CREATE TRIGGER withdrawals_no_update BEFORE UPDATE ON withdrawals BEGIN SELECT RAISE(ABORT, 'withdrawals only grows: UPDATE refused'); END;

CREATE TRIGGER withdrawals_no_delete BEFORE DELETE ON withdrawals BEGIN SELECT RAISE(ABORT, 'withdrawals only grows: DELETE refused'); END;
