import type { LogKept } from '@codase/contracts';

/** Returns what a reader has seen of a log; undefined when it does not say it whole. */
export const keptOf = ({ seen_log, seen_size }: { seen_log?: string | undefined; seen_size?: string | undefined }): LogKept | undefined =>
  seen_log === undefined || seen_size === undefined ? undefined : { log: Number(seen_log), size: Number(seen_size) };
