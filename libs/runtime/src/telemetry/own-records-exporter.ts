import type { LogRecordExporter, ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { onlyKnownOfRecord, OWN_SCOPE } from './log-records.ts';

/** Exports only records of our own log, with their known attributes: records of libraries can quote data. */
export function keepOwnRecords(exporter: LogRecordExporter): LogRecordExporter {
  return {
    export: (records, done) => exporter.export(records.filter(isOwn).map(clean), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}

const isOwn = ({ instrumentationScope: { name } }: ReadableLogRecord): boolean => name === OWN_SCOPE;

const clean = (record: ReadableLogRecord): ReadableLogRecord =>
  Object.create(record, { attributes: { value: onlyKnownOfRecord(record.attributes), enumerable: true } }) as ReadableLogRecord;
