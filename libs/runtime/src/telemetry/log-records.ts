import { logs, SeverityNumber } from '@opentelemetry/api';
import { onlyKnown, type Attributes } from './attributes.ts';
import type { ErrorDescription } from './describe-error.ts';

/** The scope of the records that the log of this repository writes. */
export const OWN_SCOPE = 'codase';

const SEVERITIES = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
} as const;

/** Attributes that describe an error, beside those of the closed list. `describeError` decides what they may hold. */
const OF_ERRORS: ReadonlySet<string> = new Set(['error.code', 'error.message', 'exception.stacktrace']);

/** Emits a line of the log as a record, for the exporter if there is one. */
export function emitRecord(level: keyof typeof SEVERITIES, message: string, facts: Attributes, error?: ErrorDescription): void {
  const attributes = { ...facts, ...(error && attributesOf(error)) };
  logs.getLogger(OWN_SCOPE).emit({ severityNumber: SEVERITIES[level], severityText: level.toUpperCase(), body: message, attributes });
}

/** Keeps the attributes that a record may have, and drops all others. */
export const onlyKnownOfRecord = <V>(attributes: Readonly<Record<string, V>>): Record<string, V> => ({
  ...onlyKnown(attributes),
  ...Object.fromEntries(Object.entries(attributes).filter(([name]) => OF_ERRORS.has(name))),
});

function attributesOf({ code, frames, ...named }: ErrorDescription) {
  return { ...named, ...(code && { 'error.code': code }), ...(frames && { 'exception.stacktrace': frames.join('\n') }) };
}
