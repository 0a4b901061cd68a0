-- The wire of PROTOCOL.md in Wireshark. Written by hand from that document alone, so that it checks
-- the generated tables; nothing of protocol/tablespec or protocol/tablewire may be copied here but
-- the names of the reasons, which `make gen` writes.
--
--   tshark -X lua_script:protocol/wireshark/tablewire.lua -r night.pcap -V
--
-- The first part, the core, is plain Lua 5.1 to 5.4 and knows no Wireshark: bytes in, a table of
-- fields or a reason out. It is what this file returns. The second part, from "Wireshark" on, runs
-- only inside Wireshark and shows what the core says.

local core = {}

-- The seed of the CRC in the document; the preference of the same name replaces it.
core.SEED = 0xFE73ED46
-- Why bytes are refused, in the order of the checks.
core.REASONS = {
  { "overlong", "no zero byte within 256 bytes" },
  { "truncated", "the stream ended inside a frame" },
  { "cobs", "the stuffing does not end at the zero byte" },
  { "short", "fewer bytes than header and CRC" },
  { "crc", "CRC-32, or another major version" },
  { "version", "not 1" },
  { "flags", "a flag bit not in the tables" },
  { "short", "fewer bytes than header, CRC and the tag that flag 1 promises" },
  { "type", "message id not in the tables" },
  { "length", "the payload ends inside a field, or before the fields of wire 1.0 do" },
  { "range", "a field outside its range or enumeration" },
}

local LONGEST, HEADER, TAG, CRC = 256, 31, 16, 4

-- Numbers -----------------------------------------------------------------------------------------

local SIZE = { u8 = 1, i8 = 1, u16 = 2, u32 = 4, i32 = 4 }
local LOW = { u8 = 0, i8 = -128, u16 = 0, u32 = 0, i32 = -2147483648 }
local HIGH = { u8 = 255, i8 = 127, u16 = 65535, u32 = 4294967295, i32 = 2147483647 }

-- The number of a type at a place (from 1) in bytes, little endian.
local function number_at(bytes, place, kind)
  local value, weight = 0, 1
  for n = place, place + SIZE[kind] - 1 do
    value = value + bytes:byte(n) * weight
    weight = weight * 256
  end
  if LOW[kind] < 0 and value > HIGH[kind] then
    value = value - weight
  end
  return value
end

local function hex(bytes)
  return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

-- CRC-32 ------------------------------------------------------------------------------------------
-- Every Lua has another way to xor 32 bits, so the register is four bytes and XOR a table.

local XOR = {}
for a = 0, 255 do
  XOR[a] = {}
  for b = 0, 255 do
    local sum, bit, x, y = 0, 1, a, b
    while x + y > 0 do
      if x % 2 ~= y % 2 then sum = sum + bit end
      x, y, bit = math.floor(x / 2), math.floor(y / 2), bit * 2
    end
    XOR[a][b] = sum
  end
end

local function split(value)
  local b0, b1, b2 = value % 256, math.floor(value / 256) % 256, math.floor(value / 65536) % 256
  return b0, b1, b2, math.floor(value / 16777216) % 256
end

local function join(b0, b1, b2, b3)
  return b0 + b1 * 256 + b2 * 65536 + b3 * 16777216
end

-- The table of the reflected polynomial 0xEDB88320 as four tables of bytes, and which entry has a
-- given top byte.
local T0, T1, T2, T3, ENTRY = {}, {}, {}, {}, {}
for n = 0, 255 do
  local value = n
  for _ = 1, 8 do
    local odd = value % 2 == 1
    value = math.floor(value / 2)
    if odd then
      local b0, b1, b2, b3 = split(value)
      value = join(XOR[b0][0x20], XOR[b1][0x83], XOR[b2][0xB8], XOR[b3][0xED])
    end
  end
  T0[n], T1[n], T2[n], T3[n] = split(value)
  ENTRY[T3[n]] = n
end

-- CRC-32/ISO-HDLC of bytes that goes on from seed, the sum of what came before (0: nothing).
function core.crc32(bytes, seed)
  local r0, r1, r2, r3 = split(4294967295 - seed)
  for place = 1, #bytes do
    local n = XOR[r0][bytes:byte(place)]
    r0, r1, r2, r3 = XOR[r1][T0[n]], XOR[r2][T1[n]], XOR[r3][T2[n]], T3[n]
  end
  return 4294967295 - join(r0, r1, r2, r3)
end

-- The one seed with which bytes have this sum: the register run backwards.
function core.seed_of(bytes, sum)
  local r0, r1, r2, r3 = split(4294967295 - sum)
  for place = #bytes, 1, -1 do
    local n = ENTRY[r3]
    r1, r2, r3 = XOR[r0][T0[n]], XOR[r1][T1[n]], XOR[r2][T2[n]]
    r0 = XOR[n][bytes:byte(place)]
  end
  return 4294967295 - join(r0, r1, r2, r3)
end

-- Tables of the document --------------------------------------------------------------------------

local PHASE = {
  "closed", "bets_open", "ball_in_rim", "no_more_bets", "dropped", "turning",
  "picked_up", "thrown", "drawing",
}
local DIRECTION = { [-1] = "counter_clockwise", [1] = "clockwise" }
-- Names of the inputs, by the number of the role; 0: of a frame that names no role.
local ANY_ROLE = {
  "input_1", "input_2", "input_3", "input_4", "input_5", "input_6", "button", "tilt", "dome",
  "maintenance", "analog", [14] = "input_7", [15] = "input_8",
}
local INPUTS = { [0] = ANY_ROLE,
  { "rotor_a", "rotor_b", "index", "rim_1", "rim_2", "head", [12] = "array",
    [14] = "rim_3", [15] = "rim_4" },
  { "rotor_a", "rotor_b", "index", [11] = "flapper" },
  { "pick_up", "throw_line", "far_wall", "far_wall", "far_wall", "edge_beams", [12] = "camera" },
  { "gate_in", "gate_out", [4] = "lid", [5] = "ready", [6] = "shuffler_fault", [11] = "motor" },
  { "exit_inner", "exit_outer", [5] = "tube", [6] = "return", [9] = "lid", [11] = "blower",
    [12] = "exit_reader", [13] = "tube_reader" },
  { "gate_in", "gate_out", [5] = "shoe_cards", [6] = "cut_card", [9] = "lid", [11] = "sheet",
    [12] = "card_reader" },
}
-- generated: begin
local REASON = {
  [101] = "short_spin", [102] = "ball_with_rotor", [103] = "no_pocket", [104] = "foreign_object",
  [105] = "second_ball", [106] = "ball_removed", [107] = "ball_not_sensed", [108] = "ball_stuck",
  [109] = "launch_failed", [110] = "slow_launch", [111] = "foreign_magnet", [112] = "ball_left",
  [113] = "bracket_moved", [114] = "sensors_differ",
  [201] = "rotor_stopped", [202] = "rotor_slow", [203] = "rotor_fast", [204] = "rotor_reversed",
  [205] = "index_lost", [206] = "tick_lost",
  [301] = "sensor_stuck", [302] = "sensor_implausible",
  [401] = "tilt", [402] = "dome_open", [403] = "croupier_void", [404] = "system_interruption",
  [501] = "edges_lost", [502] = "not_configured", [503] = "task_stopped", [504] = "journal_full",
  [505] = "memory_damaged", [506] = "link_tampered", [507] = "maintenance_open",
  [508] = "firmware_mismatch", [509] = "firmware_rollback", [510] = "memory_short",
  [601] = "short_turn", [602] = "flapper_on_pin", [603] = "obstructed", [604] = "wheel_reversed",
  [605] = "runaway", [606] = "never_stopped", [607] = "not_spun", [608] = "boundary_stop",
  [609] = "pins_lost", [610] = "pin_index_lost", [611] = "flapper_stiff", [612] = "flapper_lost",
  [701] = "late_throw", [702] = "two_hands", [703] = "not_together", [704] = "not_from_head",
  [705] = "wall_missed", [706] = "off_table", [707] = "die_cocked", [708] = "die_broken",
  [709] = "die_irregular", [710] = "line_not_passed", [711] = "no_motion_proof",
  [712] = "camera_covered", [713] = "camera_moved", [714] = "camera_dark",
  [715] = "dice_count_wrong", [716] = "camera_stopped", [717] = "not_thrown",
  [718] = "face_unsure", [719] = "never_rested", [720] = "tray_obstructed",
  [721] = "dice_not_apart", [722] = "not_commissioned", [723] = "die_size", [724] = "die_shines",
  [725] = "picture_blurred",
  [801] = "count_short", [802] = "count_long", [803] = "gates_disagree", [804] = "double_feed",
  [805] = "jam_in", [806] = "jam_inside", [807] = "jam_out", [808] = "motor_stalled",
  [809] = "lid_open", [810] = "gate_dirty", [811] = "unfinished", [812] = "shuffler_link_lost",
  [813] = "passes_disagree", [814] = "shuffler_failed", [815] = "foreign_passage",
  [816] = "not_verified", [817] = "shuffler_replaced",
  [901] = "duplicate_ball", [902] = "foreign_ball", [903] = "balls_missing", [904] = "balls_extra",
  [905] = "double_exit", [906] = "ball_jammed", [907] = "ball_lost", [908] = "ball_returned",
  [909] = "readers_disagree", [910] = "ball_unreadable", [911] = "reading_missing",
  [912] = "ball_unseen", [913] = "blower_stalled", [914] = "chamber_open",
  [915] = "draw_unfinished", [916] = "reader_lost", [917] = "mixed_too_short",
  [918] = "ball_early", [919] = "not_counted", [920] = "ball_not_recorded",
  [921] = "exit_implausible", [931] = "shoe_short", [932] = "shoe_long", [933] = "duplicate_card",
  [934] = "foreign_card", [935] = "card_unread", [936] = "reads_disagree", [937] = "two_cards",
  [938] = "card_back", [939] = "card_outside", [940] = "card_early", [941] = "cut_card_reached",
  [942] = "shoe_lid_open", [943] = "reader_link_lost", [944] = "reader_failed",
  [945] = "card_stuck", [946] = "gate_blind", [947] = "read_without_card",
  [948] = "cards_unreported", [949] = "shoe_unknown", [950] = "shoe_exchanged",
  [951] = "cut_sensor_stuck", [952] = "dealing_late", [953] = "too_many_cards",
}
-- generated: end
local REPLACEMENT = { "shuffler", "manual_shoe", "deck" }
local READING = {
  "read", "no_dice", "count_wrong", "cut_off", "foreign_object", "unreadable", "ambiguous",
  "cocked", "too_dark", "moving", "line_not_passed", "covered", "moved", "frozen", "no_frame",
  "good", "not_read", "glare", "blurred", "wrong_size", "not_commissioned",
}
local MAINTENANCE = { "open", "closed" }
local POCKET = { [37] = "00" }
for number = 0, 36 do
  POCKET[number] = tostring(number)
end
local CARD = {}
for number = 0, 51 do
  local rank, suit = number % 13 + 1, math.floor(number / 13) + 1
  CARD[number + 1] = ("23456789TJQKA"):sub(rank, rank) .. ("CDHS"):sub(suit, suit)
end
-- key = { name, unit }
core.KEYS = {
  { "role" }, { "wheel" }, { "reading_direction" }, { "index_offset", "pockets" },
  { "pocket_sensor" }, { "head_angle_mdeg", "mdeg" }, { "rim_angle_mdeg", "mdeg" },
  { "min_circuits", "circuits" }, { "max_bet_ms", "ms" }, { "close_on_ball" },
  { "nmb_lap_ms", "ms" }, { "launch_lap_max_ms", "ms" }, { "drop_lap_ms", "ms" },
  { "stuck_lap_ms", "ms" }, { "settle_ms", "ms" }, { "array_stable_ms", "ms" },
  { "head_turns", "turns" }, { "rotor_min_drpm", "0.1 rpm" }, { "rotor_max_drpm", "0.1 rpm" },
  { "result_hold_ms", "ms" }, { "auto_open" }, { "tilt_fitted" }, { "dome_fitted" },
  { "production" },
  { "segments" }, { "pin_offset", "pins" }, { "min_revolutions", "turns" },
  { "revolutions_from" }, { "max_pushes" }, { "close_on_turn" }, { "nmb_drpm", "0.1 rpm" },
  { "wheel_max_drpm", "0.1 rpm" }, { "friction_ddegss", "0.1 deg/s2" }, { "flapper_rest_raw" },
  { "flapper_top_raw" }, { "rest_ms", "ms" }, { "max_run_ms", "ms" },
  { "cards", "cards" }, { "passes", "passes" }, { "card_ms", "ms" }, { "jam_ms", "ms" },
  { "transport_ms", "ms" }, { "unfinished_ms", "ms" }, { "motor_limit_raw" }, { "stall_ms", "ms" },
  { "margin_warn", "percent" }, { "margin_min", "percent" }, { "serial_shuffler" },
  { "decks", "decks" }, { "round_burns", "cards" }, { "rounds_after_cut", "rounds" },
  { "card_ratio", "percent" }, { "ratio_slack", "percent" }, { "sheet_limit_raw" },
  { "stuck_ms", "ms" }, { "read_ms", "ms" }, { "dealing_ms", "ms" },
  { "dice", "dice" }, { "throw_rules" }, { "throw_ms", "ms" }, { "together_ms", "ms" },
  { "wall_hits", "hits" }, { "hit_gap_ms", "ms" }, { "rest_limit_ms", "ms" },
  { "objection_ms", "ms" }, { "close_on_pickup" }, { "frame_size" }, { "wall_row", "px" },
  { "mark_column", "px" }, { "line_row", "px" }, { "camera_shift", "px" },
  { "dark_grey", "greys" },
  { "balls", "balls" }, { "draw_count", "balls" }, { "ball_set" }, { "ball_ms", "ms" },
  { "ball_stuck_ms", "ms" }, { "transit_ms", "ms" }, { "ball_read_ms", "ms" },
  { "blower_min_raw" }, { "blower_stall_ms", "ms" }, { "mix_ms", "ms" }, { "ball_wait_ms", "ms" },
  { "recall_ms", "ms" }, { "dice_reading" },
  { "rim_sensors" }, { "rim_3_angle_mdeg", "mdeg" }, { "rim_4_angle_mdeg", "mdeg" },
  { "rim_roughness", "1/1000" }, { "lap_steady", "0.0001 turns/s2" },
  { "lap_square", "0.0001 per turn" }, { "ball_ratio", "percent" },
  { "card_spread", "permille" }, { "sheet_card_raw" },
  { "air_1024", "1/1024" }, { "imbalance_percent", "%" }, { "imbalance_pin", "pins" },
  { "law_slack_percent", "%" }, { "turn_limit", "0.01 pin" }, { "slow_limit", "0.01 pin" },
  { "last_limit", "0.01 pin" }, { "hold_low_percent", "%" }, { "hold_high_percent", "%" },
  { "lights" },
}

-- A field is { name, kind, ... }; unknown is the value that stands for "not known".
local function number(name, kind, unit, low, high, unknown)
  return { name = name, kind = kind, unit = unit, low = low, high = high, unknown = unknown }
end

local function any(name, kind, unit)
  return number(name, kind, unit, LOW[kind], HIGH[kind])
end

local function choice(name, kind, names, unknown)
  return { name = name, kind = kind, names = names, unknown = unknown }
end

local function message_id(name, low, high)
  return { name = name, kind = "u8", low = low, high = high, is_message = true }
end

local function key(name)
  return { name = name or "key", kind = "u8", low = 0, high = 255, is_key = true }
end

local function input()
  return { name = "input", kind = "u8", low = 1, high = 63, unknown = 255, is_input = true }
end

local function measure(name)
  return any(name, "i32", "as the quantity says")
end

-- "as the key says"
local function keyed(name)
  return { name = name, kind = "i32", low = LOW.i32, high = HIGH.i32, by_key = true }
end

local function raw(name, length)
  return { name = name, kind = "bytes", length = length }
end

local function ascii(name, length)
  return { name = name, kind = "text", length = length }
end

-- Bytes that are never shown.
local function secret(name, length)
  return { name = name, kind = "text", length = length, is_secret = true }
end

local function die(place)
  return number("die_" .. place, "u8", nil, 1, 6, 0)
end

local function span(name)
  return number(name, "u16", "ms", 0, 60000, 65535)
end

local function blocks(name)
  return number(name, "u16", "blocks", 0, 4000, 65535)
end

local SOME_MS, SOME_KEY = 536870911, 2147483647

core.MESSAGES = {
  [0x01] = { "identity", {
    raw("nonce", 8), any("schema", "u32", "hex"),
    any("firmware_major", "u8"), any("firmware_minor", "u8"), any("firmware_patch", "u8"),
    choice("role", "u8", {
      "roulette", "money_wheel", "dice_tray", "shuffler", "draw_machine", "card_shoe",
    }, 0),
    choice("authentication", "u8", { [0] = "unauthenticated", "key" }),
    choice("reset_cause", "u8", { "power", "watchdog", "reset" }, 0),
    ascii("board", 16), raw("device_nonce", 8), number("key_number", "u32", nil, 0, SOME_KEY),
  } },
  [0x02] = { "heartbeat", {
    choice("phase", "u8", PHASE), number("faults", "u8", nil, 0, 32),
    number("progress", "u8", nil, 0, 250, 255), choice("machine_direction", "i8", DIRECTION, 0),
    number("machine_drpm", "u16", "0.1 rpm", 0, 20000, 65535),
    number("unacknowledged", "u16", "records", 0, 1000),
    any("edges_lost", "u16", "edges"), any("frames_skipped", "u16", "frames"),
    number("free_bytes", "u32", "bytes", 0, 4294967294, 4294967295),
    number("largest_free_bytes", "u32", "bytes", 0, 4294967294, 4294967295),
  } },
  [0x03] = { "state", { choice("phase", "u8", PHASE), choice("previous", "u8", PHASE) } },
  [0x04] = { "configuration", {
    key(), keyed("value"), keyed("previous"), keyed("low"), keyed("high"),
  } },
  [0x05] = { "refusal", {
    message_id("command", 64, 127), any("command_counter", "u32"),
    choice("cause", "u8", {
      "round_open", "out_of_range", "unknown_key", "wrong_phase", "wrong_boot", "fault_active",
      "wrong_round", "journal_full", "contradiction", "not_understood", "stale",
      "key_exchange", "no_memory",
    }),
    keyed("value"), keyed("low"), keyed("high"), key("contradicts"),
  } },
  [0x06] = { "session_started", {} },
  [0x60] = { "session_ended", { ascii("host", 16) } },
  [0x07] = { "attestation", {
    raw("nonce", 16), raw("digest", 32), any("files", "u16", "files"), any("size", "u32", "bytes"),
    any("release", "u32"),
  } },
  [0x08] = { "trace_chunk", {
    number("trace_round", "u32", nil, 1, 4294967295), any("trace_offset", "u16", "bytes"),
    any("trace_bytes", "u16", "bytes"), raw("data", 192),
  } },
  [0x09] = { "sensor_sample", {
    input(),
    choice("quantity", "u8", {
      "pulses", "level", "raw", "raw_span", "closed_switches", "grey", "grey_span", "shift",
      "angle", "active", "silent", "pocket", "raw_least", "error",
      "supply", "temperature", "place", "missed",
      "card_us", "card_ratio", "card_spread", "card_off",
    }),
    measure("value"), measure("low"), measure("high"), number("level", "u8", nil, 0, 1, 255),
    choice("verdict", "u8", { "pass", "fail", "skip" }), choice("reason", "u16", REASON, 0),
  } },
  [0x0A] = { "self_test_result", {
    any("samples", "u8"), any("failed", "u8"), number("watched_ms", "u16", "ms", 0, 60000),
  } },
  [0x0B] = { "dice_seen", {
    choice("reading", "u8", READING), die(1), die(2), die(3), die(4), die(5), die(6),
    blocks("changed"), blocks("since_last"), any("grey", "u8", "greys"),
    number("shift", "u8", "px", 0, 250, 255), any("frame_crc", "u32"),
    number("rig", "u32", nil, 1, 4294967295, 0),
  } },
  [0x0C] = { "shuffler_report", {
    choice("machine", "u8", { "ready", "shuffling", "error" }), any("count_in", "u16", "cards"),
    any("count_out", "u16", "cards"), any("error", "u16"),
  } },
  [0x0D] = { "picture_part", {
    number("part", "u8", nil, 0, 1), any("frame_crc", "u32"), raw("greys", 192),
  } },
  [0x0E] = { "reader_report", {
    choice("reader", "u8", { "exit", "tube" }), any("readings", "u8"),
    number("number", "u8", nil, 0, 254, 255), any("ball_set", "u8"),
  } },
  [0x0F] = { "picture_pixels", {
    number("place", "u16", nil, 0, 399), any("frame_crc", "u32"), raw("greys", 192),
  } },
  [0x10] = { "round_opened", {
    choice("layout", "u8", {
      "single", "double", "segments_52", "segments_54", "dice", "cards", "balls", "shoe",
    }),
    number("requirement", "u8", nil, 1, 20), number("max_bet_ms", "u32", "ms", 0, SOME_MS),
  } },
  [0x11] = { "bets_closed", {
    choice("cause", "u8", {
      "ball_detected", "lap_time", "croupier", "command", "timeout", "void", "wheel_turns",
      "dice_taken", "dice_thrown", "host_silent",
    }),
    number("open_ms", "u32", "ms", 0, SOME_MS),
  } },
  [0x12] = { "wheel_result", {
    choice("pocket", "u8", POCKET), number("pocket_index", "u8", "pockets", 0, 37),
    choice("sensor", "u8", { "array", "head", "both" }),
    number("agreements", "u8", "readings", 1, 255),
    number("circuits_centi", "u16", "0.01 circuit", 0, 60000),
    choice("ball_direction", "i8", DIRECTION, 0), choice("rotor_direction", "i8", DIRECTION, 0),
    number("rotor_drpm", "u16", "0.1 rpm", 0, 20000, 65535),
    number("last_lap_ms", "u16", "ms", 0, 60000, 65535),
    number("track_ms", "u32", "ms", 0, SOME_MS), number("result_ms", "u32", "ms", 0, SOME_MS),
    number("drop_rim", "u8", nil, 1, 4),
    number("friction_ddegss", "u16", "0.1 deg/s2", 0, 60000, 65535),
    number("head_off_centi", "i8", "0.01 pocket", -50, 50, -128),
  } },
  [0x13] = { "round_void", {
    choice("reason", "u16", REASON), choice("phase", "u8", PHASE),
    input(),
    number("progress_centi", "u16", "0.01 circuit", 0, 60000, 65535),
    choice("object_direction", "i8", DIRECTION, 0), choice("machine_direction", "i8", DIRECTION, 0),
    number("machine_drpm", "u16", "0.1 rpm", 0, 20000, 65535),
    number("last_lap_ms", "u16", "ms", 0, 60000, 65535),
  } },
  [0x14] = { "fault_raised", {
    choice("fault", "u16", REASON), input(),
    any("value", "i32"), any("limit", "i32"),
  } },
  [0x15] = { "fault_cleared", {
    choice("fault", "u16", REASON), input(),
    number("active_ms", "u32", "ms", 0, SOME_MS, 4294967295),
  } },
  [0x16] = { "configuration_changed", {
    key(), keyed("value"), keyed("previous"),
    choice("cause", "u8", { "command", "factory", "provision" }),
    number("revision", "u32", nil, 1, 4294967295),
  } },
  [0x17] = { "tamper", {
    choice("kind", "u8", {
      "unauthenticated", "tag", "replayed", "session", "malformed", "device",
    }),
    any("message", "u8"), any("message_counter", "u32"),
    number("count", "u32", "frames", 1, 4294967295),
  } },
  [0x19] = { "key_changed", {
    number("number", "u32", nil, 1, SOME_KEY), number("previous", "u32", nil, 0, SOME_KEY),
  } },
  [0x18] = { "maintenance_changed", {
    choice("state", "u8", MAINTENANCE), input(),
  } },
  [0x1A] = { "boot_report", {
    choice("reset_cause", "u8", { "power", "watchdog", "reset" }, 0), any("release", "u32"),
    any("highest", "u32"), choice("use", "u8", { [0] = "bench", "production" }),
  } },
  [0x20] = { "money_wheel_result", {
    number("pays", "u8", "to one", 1, 250), number("segment", "u8", "segments", 0, 53),
    number("revolutions_centi", "u16", "0.01 turn", 0, 60000),
    number("pushed_centi", "u16", "0.01 turn", 0, 60000), number("pushes", "u8", nil, 1, 255),
    choice("wheel_direction", "i8", DIRECTION, 0),
    number("friction_ddegss", "u16", "0.1 deg/s2", 0, 60000, 65535),
    number("last_pin_ms", "u16", "ms", 0, 60000), number("turning_ms", "u32", "ms", 0, SOME_MS),
    number("rest_ms", "u16", "ms", 0, 60000),
  } },
  [0x24] = { "dice_result", {
    die(1), die(2), die(3), die(4), die(5), die(6), span("held_ms"), span("spread_ms"),
    any("hits", "u8", "hits"), span("rest_ms"), number("agreed", "u8", "frames", 2, 255),
    any("refused", "u8", "frames"), blocks("since_last"), any("frame_crc", "u32"),
  } },
  [0x25] = { "throw_evidence", {
    choice("reason", "u16", REASON), span("held_ms"), span("spread_ms"), any("crossings", "u8"),
    any("hits", "u8", "hits"), span("wall_ms"), any("edges", "u8"), any("presses", "u8"),
    any("frames", "u8", "frames"), choice("reading", "u8", READING, 0), any("frame_crc", "u32"),
  } },
  [0x28] = { "shuffle_done", {
    any("count_in", "u16", "cards"), any("count_out", "u16", "cards"),
    any("expected", "u16", "cards"), number("passes", "u8", "passes", 0, 2),
    number("duration_ms", "u32", "ms", 0, SOME_MS),
    choice("verdict", "u8", { "verified", "refused" }), choice("reason", "u16", REASON, 0),
    number("margin_in", "u8", "percent", 0, 100, 255),
    number("margin_out", "u8", "percent", 0, 100, 255),
  } },
  [0x29] = { "shoe_changed", {
    choice("shoe", "u8", { "locked", "unlocked", "replaced" }), choice("reason", "u16", REASON, 0),
    choice("replacement", "u8", REPLACEMENT, 0),
  } },
  [0x2A] = { "gate_worn", {
    input(), number("margin", "u8", "percent", 0, 100, 255),
    number("lock_below", "u8", "percent", 0, 100, 255),
  } },
  [0x2B] = { "card_round_ended", { number("dealing_ms", "u32", "ms", 0, SOME_MS) } },
  [0x2E] = { "card_dealt", {
    number("shoe_index", "u16", "cards", 1, 999), number("round_index", "u8", "cards", 1, 60, 0),
    choice("card", "u8", CARD, 0), choice("use", "u8", { "round", "burned", "void" }),
    number("passage_ms", "u16", "ms", 0, 60000),
  } },
  [0x2F] = { "cards_ended", {
    number("count", "u8", "cards", 1, 60), number("first", "u16", "cards", 1, 999),
    number("last", "u16", "cards", 1, 999), number("check_1", "u16", nil, 0, 65534),
    number("check_2", "u16", nil, 0, 65534), number("dealing_ms", "u32", "ms", 0, SOME_MS),
    number("last_round", "u8", nil, 0, 1),
  } },
  [0x34] = { "shoe_report", {
    choice("event", "u8", { "new", "continued", "cut_card", "empty" }),
    number("decks", "u8", "decks", 1, 8), number("cards", "u16", "cards", 0, 999),
    number("drawn", "u16", "cards", 0, 999), number("burns", "u8", "cards", 0, 20),
    } },
  [0x2C] = { "ball_drawn", {
    number("place", "u8", "balls", 1, 90), number("number", "u8", "balls", 1, 90),
    number("drawing_ms", "u32", "ms", 0, SOME_MS),
  } },
  [0x2D] = { "draw_result", {
    number("drawn", "u8", "balls", 1, 90), number("shown", "u8", "balls", 1, 90),
    number("balls", "u8", "balls", 20, 90),
    choice("ended_by", "u8", { "count", "command", "croupier" }),
    number("drawing_ms", "u32", "ms", 0, SOME_MS), raw("numbers", 12),
  } },
  [0x30] = { "draw_stopped", {
    choice("reason", "u16", REASON), number("drawn", "u8", "balls", 0, 90),
    number("exit_reading", "u8", nil, 0, 254, 255), number("tube_reading", "u8", nil, 0, 254, 255),
    number("passage_ms", "u16", "ms", 0, 60000, 65535),
    number("inside", "u8", "balls", 0, 90, 255), number("blower_raw", "u16", nil, 0, 4095),
  } },
  [0x31] = { "balls_counted", {
    number("inside", "u8", "balls", 0, 90), number("expected", "u8", "balls", 20, 90),
    choice("counted_by", "u8", { "declared", "returned" }),
  } },
  [0x40] = { "identify", { raw("nonce", 8) } },
  [0x41] = { "acknowledge", {
    number("record_boot", "u32", nil, 1, 4294967295), any("record_counter", "u32"),
  } },
  [0x42] = { "open_bets", {} },
  [0x43] = { "close_bets", {} },
  [0x44] = { "void_round", { choice("reason", "u16", REASON) } },
  [0x45] = { "get_configuration", { key() } },
  [0x46] = { "set_configuration", { key(), keyed("value") } },
  [0x47] = { "clear_fault", { choice("fault", "u16", REASON) } },
  [0x48] = { "start_session", { ascii("host", 16) } },
  [0x52] = { "beacon", { number("token", "u32", nil, 1, 1073741823) } },
  [0x53] = { "offer_key", { number("number", "u32", nil, 1, SOME_KEY), raw("public", 32) } },
  [0x54] = { "confirm_key", { number("number", "u32", nil, 1, SOME_KEY), raw("proof", 16) } },
  [0x61] = { "key_answer", {
    number("number", "u32", nil, 1, SOME_KEY), raw("public", 32), raw("proof", 16),
  } },
  [0x49] = { "set_key", {
    number("number", "u32", nil, 1, SOME_KEY), any("serial", "u32"), secret("secret", 32),
  } },
  [0x4D] = { "fetch_trace", {
    number("trace_round", "u32", nil, 1, 4294967295), any("trace_offset", "u16", "bytes"),
  } },
  [0x4E] = { "factory_configuration", {} },
  [0x4F] = { "self_test", { number("watch_ms", "u16", "ms", 0, 60000) } },
  [0x4A] = { "attest", { raw("nonce", 16), any("files", "u16", "files") } },
  [0x4B] = { "maintenance", { choice("state", "u8", MAINTENANCE) } },
  [0x4C] = { "lock", {} },
  [0x50] = { "declare_replacement", { choice("replacement", "u8", REPLACEMENT) } },
  [0x51] = { "end_round", {} },
  [0x56] = { "load_shoe", {
    choice("load", "u8", { "new", "continued" }), number("cards", "u16", "cards", 0, 999),
    number("burns", "u8", "cards", 0, 20),
  } },
  [0x57] = { "end_cards", {} },
  [0x58] = { "end_draw", { number("drawn", "u8", "balls", 1, 90, 0) } },
  [0x59] = { "declare_balls", { number("inside", "u8", "balls", 0, 90) } },
  [0x5A] = { "fetch_picture", { number("part", "u8", nil, 0, 2) } },
}

core.HEADER = {
  any("version", "u8"), message_id("type", 0, 255), any("flags", "u8"), any("minor", "u8"),
  any("role", "u8"), any("device", "u32"), any("boot", "u32"), any("counter", "u32"),
  any("uptime_ms", "u32", "ms"), any("round", "u32"), any("echo", "u32"), any("echo_ms", "u16", "ms"),
}
core.FLAGS = {
  { 1, "authenticated" }, { 2, "durable" }, { 4, "test_mode" }, { 8, "retransmitted" },
}

-- What a value says to a reader -------------------------------------------------------------------

local function scaled(value, divisor, digits, unit)
  local whole = math.floor(math.abs(value) / divisor)
  local rest = ("%0" .. digits .. "d"):format(math.abs(value) % divisor)
  return ("%d (%s%d.%s %s)"):format(value, value < 0 and "-" or "", whole, rest, unit)
end

local function with_unit(value, unit)
  if unit == "0.1 rpm" then
    return scaled(value, 10, 1, "rpm")
  elseif unit == "0.01 circuit" then
    return scaled(value, 100, 2, "circuits")
  elseif unit == "hex" then
    return ("0x%08X"):format(value)
  end
  return unit and ("%d %s"):format(value, unit) or ("%d"):format(value)
end

-- Bytes of a text before its padding; what is not printable ASCII as \xNN.
local function printable(bytes)
  local text = bytes:gsub("%z+$", "")
  return (text:gsub("[^\32-\126]", function(byte) return ("\\x%02x"):format(byte:byte()) end))
end

-- The tables' name of a value, or nil.
local function name_of(field, value, role)
  if field.is_input and value ~= field.unknown then
    local names = INPUTS[role] or ANY_ROLE
    return names[value] or ANY_ROLE[value] or ("input_%d"):format(value)
  elseif field.names then
    return field.names[value]
  elseif field.is_key then
    return core.KEYS[value] and core.KEYS[value][1]
  elseif field.is_message then
    return core.MESSAGES[value] and core.MESSAGES[value][1]
  end
  return nil
end

local function label(field, value, unit, role)
  if field.kind == "bytes" then
    return hex(value)
  elseif field.kind == "text" then
    return value
  elseif value == field.unknown then
    return ("not known (%d)"):format(value)
  elseif field.names or field.is_key or field.is_message or field.is_input then
    return ("%s (%d)"):format(name_of(field, value, role) or "not in the tables", value)
  end
  return with_unit(value, unit or field.unit)
end

local function is_allowed(field, value)
  if field.kind == "bytes" or field.kind == "text" or value == field.unknown then
    return true
  elseif field.names then
    return field.names[value] ~= nil
  end
  return value >= field.low and value <= field.high
end

-- One frame ---------------------------------------------------------------------------------------

-- The body of stuffed bytes (without the zero byte), or nil.
function core.unstuff(stuffed)
  local parts, place = {}, 1
  while place <= #stuffed do
    local code = stuffed:byte(place)
    if code == 0 or place + code - 1 > #stuffed then
      return nil
    end
    parts[#parts + 1] = stuffed:sub(place + 1, place + code - 1)
    place = place + code
    if code < 255 and place <= #stuffed then
      parts[#parts + 1] = "\0"
    end
  end
  return table.concat(parts)
end

local function refuse(reason, detail, body)
  return { reason = reason, detail = detail, body = body }
end

-- Values of fields in body from place on, each with where it stands; or the one out of range.
local function read_fields(fields, body, place, role)
  local found, unit = {}, nil
  for n, field in ipairs(fields) do
    local size, value = field.length or SIZE[field.kind], nil
    if field.length then
      value = body:sub(place, place + size - 1)
      if field.is_secret then
        value = "withheld"
      elseif field.kind == "text" then
        value = printable(value)
      end
    else
      value = number_at(body, place, field.kind)
    end
    if not is_allowed(field, value) then
      return nil, ("%s is %d"):format(field.name, value)
    end
    if field.is_key and core.KEYS[value] then unit = core.KEYS[value][2] end
    found[n] = {
      name = field.name, kind = field.kind, value = value, offset = place - 1, length = size,
      not_known = field.unknown ~= nil and value == field.unknown,
      choice = name_of(field, value, role),
      text = label(field, value, field.by_key and unit or nil, role),
    }
    place = place + size
  end
  return found
end

local function size_of(fields)
  local size = 0
  for _, field in ipairs(fields) do
    size = size + (field.length or SIZE[field.kind])
  end
  return size
end

-- The checks from flags to range, of a body whose sum and version are right.
local function read_message(body, frame, ident)
  local flags, left = frame.header[3].value, frame.header[3].value
  for n = #core.FLAGS, 1, -1 do
    local bit, name = core.FLAGS[n][1], core.FLAGS[n][2]
    frame.flags[name] = math.floor(flags / bit) % 2 == 1
    if frame.flags[name] then left = left - bit end
  end
  if left > 0 then
    return refuse("flags", ("flags 0x%02x hold 0x%02x"):format(flags, left), body)
  end
  local tag = frame.flags.authenticated and TAG or 0
  local found = #body - HEADER - tag - CRC
  if found < 0 then
    return refuse("short", ("%d bytes, and a tag is promised"):format(#body), body)
  end
  local message = core.MESSAGES[ident]
  if not message then
    return refuse("type", ("message id 0x%02x"):format(ident), body)
  end
  -- A longer payload comes from a later minor version: what is behind the known fields is left alone.
  local wanted = size_of(message[2])
  if found < wanted then
    return refuse("length", ("%s has %d payload bytes, not %d"):format(message[1], wanted, found),
      body)
  end
  local fields, wrong = read_fields(message[2], body, HEADER + 1, body:byte(5))
  if not fields then
    return refuse("range", message[1] .. "." .. wrong, body)
  end
  frame.message, frame.fields = message[1], fields
  if tag > 0 then frame.tag = body:sub(-TAG - CRC, -CRC - 1) end
  return frame
end

-- What stuffed bytes (one frame, without its zero byte) say: a table with message, header, flags,
-- fields and tag, or one with reason and detail. body is there when the stuffing holds.
function core.decode(stuffed, seed)
  local body = core.unstuff(stuffed)
  if not body then
    return refuse("cobs", "a code points behind the zero byte")
  elseif #body < HEADER + CRC then
    return refuse("short", ("%d bytes, at least %d"):format(#body, HEADER + CRC), body)
  end
  local summed, sum = body:sub(1, -CRC - 1), number_at(body, #body - CRC + 1, "u32")
  if core.crc32(summed, seed) ~= sum then
    local fits = ("fits seed 0x%08X only"):format(core.seed_of(summed, sum))
    return refuse("crc", fits, body)
  end
  local frame = { body = body, flags = {}, crc = sum, header = read_fields(core.HEADER, body, 1) }
  local version, ident = frame.header[1].value, frame.header[2].value
  if version ~= 1 then
    return refuse("version", ("version %d"):format(version), body)
  end
  return read_message(body, frame, ident)
end

-- A stream ----------------------------------------------------------------------------------------

-- The next piece of bytes from place on: its kind, first and last byte. Kinds: frame and overlong
-- end with a zero byte, unfinished has none yet; nil when only idle line is left.
function core.piece(bytes, place)
  local first = bytes:find("[^%z]", place)
  if not first then
    return nil
  end
  local last = bytes:find("%z", first)
  if not last then
    return "unfinished", first, #bytes
  end
  return last - first + 1 > LONGEST and "overlong" or "frame", first, last
end

-- What one piece says.
function core.read_piece(bytes, kind, first, last, seed)
  local length = last - first + 1
  if kind == "overlong" or (kind == "unfinished" and length >= LONGEST) then
    return refuse("overlong", ("%d bytes"):format(length))
  elseif kind == "unfinished" then
    return refuse("truncated", ("%d bytes without a zero byte"):format(length))
  end
  return core.decode(bytes:sub(first, last - 1), seed)
end

-- All of a stream that has ended: a list of frames and refusals with offset (from 0) and length.
function core.stream(bytes, seed)
  local found, place = {}, 1
  while true do
    local kind, first, last = core.piece(bytes, place)
    if not kind then
      return found
    end
    local item = core.read_piece(bytes, kind, first, last, seed)
    item.offset, item.length = first - 1, last - first + 1
    found[#found + 1] = item
    place = last + 1
  end
end

if not Proto then
  return core
end

-- Wireshark ---------------------------------------------------------------------------------------

local wire = Proto("tablewire", "Tablewire")
local uart = Proto("tablewire_uart", "Tablewire on a UART")

wire.prefs.ports = Pref.range("TCP ports", "7301", "Ports a table is served on", 65535)
wire.prefs.seed = Pref.string("Seed of the CRC",
  ("0x%08X"):format(core.SEED), "PROTOCOL.md names that of each major version")

local seed = core.SEED
local added_ports

local shown = {
  refused = ProtoField.string("tablewire.refused", "refused"),
  detail = ProtoField.string("tablewire.refused.detail", "detail"),
  message = ProtoField.string("tablewire.message", "message"),
  seal = ProtoField.string("tablewire.seal", "seal"),
  tag = ProtoField.bytes("tablewire.tag", "tag"),
  crc = ProtoField.uint32("tablewire.crc", "crc", base.HEX),
  not_known = ProtoField.string("tablewire.not_known", "not known"),
  choice = ProtoField.string("tablewire.choice", "choice"),
  offset = ProtoField.uint32("tablewire.offset", "offset in these bytes"),
  length = ProtoField.uint32("tablewire.length", "length on the line"),
  unfinished = ProtoField.bytes("tablewire.unfinished", "frame that goes on or was truncated"),
}
local experts = {
  unverified = ProtoExpert.new("tablewire.unverified", "tag not verified: the key is not here",
    expert.group.SECURITY, expert.severity.NOTE),
  unauthenticated = ProtoExpert.new("tablewire.unauthenticated", "unauthenticated",
    expert.group.SECURITY, expert.severity.CHAT),
}
for _, reason in ipairs(core.REASONS) do
  experts[reason[1]] = experts[reason[1]] or ProtoExpert.new("tablewire.reason." .. reason[1],
    reason[1] .. ": " .. reason[2], expert.group.MALFORMED, expert.severity.ERROR)
end

local NEW = {
  u8 = ProtoField.uint8, i8 = ProtoField.int8, u16 = ProtoField.uint16, u32 = ProtoField.uint32,
  i32 = ProtoField.int32, bytes = ProtoField.bytes, text = ProtoField.string,
}
-- For each message its fields by name, and for the header and the flags.
local proto_fields = { header = {}, flags = {} }

local function declare(group, prefix, fields)
  proto_fields[group] = {}
  for _, field in ipairs(fields) do
    proto_fields[group][field.name] = NEW[field.kind](prefix .. field.name, field.name)
  end
end

declare("header", "tablewire.", core.HEADER)
for _, message in pairs(core.MESSAGES) do
  declare(message[1], "tablewire." .. message[1] .. ".", message[2])
end
for _, flag in ipairs(core.FLAGS) do
  proto_fields.flags[flag[2]] =
    ProtoField.bool("tablewire.flags." .. flag[2], flag[2], 8, nil, flag[1])
end

local function register()
  local fields, list = {}, {}
  for _, field in pairs(shown) do fields[#fields + 1] = field end
  for _, group in pairs(proto_fields) do
    for _, field in pairs(group) do fields[#fields + 1] = field end
  end
  for _, entry in pairs(experts) do list[#list + 1] = entry end
  wire.fields, wire.experts = fields, list
end

register()

local function show_fields(tree, body, group, fields)
  for _, field in ipairs(fields) do
    local range = body(field.offset, field.length)
    local proto_field = proto_fields[group][field.name]
    local item = field.kind == "bytes" and tree:add(proto_field, range)
      or tree:add(proto_field, range, field.value)
    item:set_text(("%s: %s"):format(field.name, field.text))
    if field.not_known then item:add(shown.not_known, range, field.name):set_generated() end
    if field.choice then item:add(shown.choice, range, field.choice):set_generated() end
    if group == "header" and field.name == "flags" then
      for _, flag in ipairs(core.FLAGS) do item:add(proto_fields.flags[flag[2]], range) end
    end
  end
end

local function show_frame(tree, body, item)
  tree:add(shown.message, body(1, 1), item.message)
  show_fields(tree, body, "header", item.header)
  show_fields(tree, body, item.message, item.fields)
  local seal = tree:add(shown.seal, body(2, 1), item.tag and "unverified" or "none")
  if item.tag then
    seal:add_proto_expert_info(experts.unverified)
    tree:add(shown.tag, body(body:len() - CRC - TAG, TAG))
  else
    seal:add_proto_expert_info(experts.unauthenticated)
  end
  tree:add_le(shown.crc, body(body:len() - CRC, CRC))
end

-- One piece of the line in the tree; range is where it stands in the packet.
local function show(tree, range, pinfo, item)
  local tree_item = tree:add(wire, range)
  tree_item:add(shown.offset, range, item.offset):set_generated()
  tree_item:add(shown.length, range, item.length):set_generated()
  local body = item.body and #item.body > 0
    and ByteArray.new(item.body, true):tvb("Frame unstuffed")
  if item.reason then
    tree_item:set_text(("Tablewire, refused: %s, %s"):format(item.reason, item.detail))
    local refused = tree_item:add(shown.refused, range, item.reason)
    refused:add_proto_expert_info(experts[item.reason])
    tree_item:add(shown.detail, range, item.detail)
    pinfo.cols.info:append((" [%s]"):format(item.reason))
    return
  end
  local round = item.header[10].value
  local seal = item.tag and "tag not verified" or "unauthenticated"
  tree_item:set_text(("Tablewire, %s, round %d, %s"):format(item.message, round, seal))
  pinfo.cols.info:append(" " .. item.message .. (item.tag and "" or " (unauthenticated)"))
  show_frame(tree_item, body, item)
end

-- Every piece of bytes; carried of them came in packets before tvb. Returns where an unfinished
-- frame begins, or nil.
local function show_pieces(bytes, carried, tvb, pinfo, tree)
  local place = 1
  pinfo.cols.protocol = "Tablewire"
  pinfo.cols.info = ""
  while true do
    local kind, first, last = core.piece(bytes, place)
    if not kind or kind == "unfinished" then
      return first
    end
    local item = core.read_piece(bytes, kind, first, last, seed)
    item.offset, item.length = first - 1, last - first + 1
    local from = math.max(first - 1 - carried, 0)
    show(tree, tvb(from, last - carried - from), pinfo, item)
    place = last + 1
  end
end

-- What is left when no more bytes can come.
local function show_rest(bytes, first, range, pinfo, tree)
  local item = core.read_piece(bytes, "unfinished", first, #bytes, seed)
  item.offset, item.length = first - 1, #bytes - first + 1
  show(tree, range, pinfo, item)
end

-- A TCP stream: Wireshark puts a frame that is cut together again, where it may.
local function show_segment(tvb, pinfo, tree, may_wait)
  local bytes = tvb:raw()
  local first = show_pieces(bytes, 0, tvb, pinfo, tree)
  if first and may_wait then
    pinfo.desegment_offset, pinfo.desegment_len = first - 1, DESEGMENT_ONE_MORE_SEGMENT
  elseif first then
    show_rest(bytes, first, tvb(first - 1), pinfo, tree)
  end
  return tvb:len()
end

function wire.dissector(tvb, pinfo, tree)
  return show_segment(tvb, pinfo, tree, pinfo.can_desegment > 0)
end

-- Packets of link type USER0 (147) are reads of a UART, cut anywhere. before: by packet number, the
-- bytes of its first frame that came earlier. carry: by direction, what the next packet goes on
-- from and the packet that left it. continued: packets whose last frame went on.
local before, carry, continued = {}, {}, {}

function uart.init()
  before, carry, continued = {}, {}, {}
end

function uart.dissector(tvb, pinfo, tree)
  local way, number_ = pinfo.p2p_dir, pinfo.number
  if not pinfo.visited and not before[number_] then
    local left = carry[way]
    before[number_] = left and left.bytes or ""
    if left then continued[left.number] = true end
  end
  local bytes = before[number_] .. tvb:raw()
  local first = show_pieces(bytes, #before[number_], tvb, pinfo, tree)
  if not pinfo.visited then
    carry[way] = first and { bytes = bytes:sub(first), number = number_ }
  end
  if first then
    local from = math.max(first - 1 - #before[number_], 0)
    if pinfo.visited and not continued[number_] then
      show_rest(bytes, first, tvb(from), pinfo, tree)
    else
      tree:add(wire, tvb(from)):add(shown.unfinished, tvb(from))
    end
  end
  return tvb:len()
end

-- TCP on another port: bytes that hold one frame whose sum is right are a table's. can_desegment is
-- 0 while Wireshark guesses, whatever it will be when the next segment comes.
local function is_ours(tvb, pinfo, tree)
  local bytes, place = tvb:raw(), 1
  while true do
    local kind, first, last = core.piece(bytes, place)
    if not kind or kind == "unfinished" then
      return false
    elseif kind == "frame" and core.decode(bytes:sub(first, last - 1), seed).message then
      pinfo.conversation = wire
      show_segment(tvb, pinfo, tree, true)
      return true
    end
    place = last + 1
  end
end

function wire.prefs_changed()
  local wanted = tonumber(wire.prefs.seed)
  if wanted and wanted >= 0 and wanted <= 4294967295 and wanted % 1 == 0 then
    seed = wanted
  else
    report_failure(("tablewire: the seed %q is not a number of 32 bits; 0x%08X is used")
      :format(wire.prefs.seed, seed))
  end
  local tcp = DissectorTable.get("tcp.port")
  if added_ports then tcp:remove(added_ports, wire) end
  added_ports = wire.prefs.ports
  tcp:add(added_ports, wire)
end

added_ports = wire.prefs.ports
DissectorTable.get("tcp.port"):add(added_ports, wire)
DissectorTable.get("wtap_encap"):add((wtap_encaps or wtap).USER0, uart)
wire:register_heuristic("tcp", is_ours)

return core
