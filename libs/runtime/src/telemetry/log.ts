import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream } from 'pino';
import { onlyKnown, type Attributes } from './attributes.ts';
import { describeError } from './describe-error.ts';
import { emitRecord } from './log-records.ts';

/** The facts that a line of the log may add to its constant message. */
export type Facts = Attributes & { error?: unknown };

export interface Log {
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
}
export const LOG = Symbol('Log');

/**
 * Opens a log that writes structured lines to standard output, one JSON object each, with the ids of the trace they belong to. Each line is
 * also a record, which is sent when there is an exporter for records.
 */
export function openLog(service: string, destination?: DestinationStream): Log {
  const base = {
    level: process.env['LOG_LEVEL'] ?? 'info',
    base: { service },
    formatters: { level: (level: string) => ({ level }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
  };
  const lines = destination ? pino(base, destination) : pino(base);
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, { error, ...given }: Facts = {}) => {
      if (!lines.isLevelEnabled(level)) return;
      const facts = onlyKnown(given);
      const described = error === undefined ? undefined : describeError(error);
      lines[level]({ ...facts, ...described, ...traceIds() }, message);
      emitRecord(level, message, facts, described);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function traceIds() {
  const span = trace.getActiveSpan()?.spanContext();
  return span && { trace_id: span.traceId, span_id: span.spanId };
}

/** A log that writes nothing, for places that have none, such as a small test. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
