// Cause and remedy of an alarm: of its reason code, else of its kind.

/** What /v1/reasons tells of an alarm: {cause, remedy}. */
export function reasonOf(found, alarm) {
  const coded = found.reasons.find((one) => one.code === alarm.code);
  return coded || found.alarms.find((one) => one.kind === alarm.kind) || { cause: "", remedy: "" };
}
