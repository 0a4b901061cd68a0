// Cause and remedy of an alarm: by its reason code, else by its kind.

/** What /v1/reasons returns for an alarm: {cause, remedy}. */
export function reasonOf(found, alarm) {
  const coded = found.reasons.find((one) => one.code === alarm.code);
  return coded || found.alarms.find((one) => one.kind === alarm.kind) || { cause: "", remedy: "" };
}
