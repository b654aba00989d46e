import { hash } from 'node:crypto';

/** An edit that the platform confirmed: its number, and the time the platform gave it, by which its event is recognised. */
export interface Edit {
  service_id: string;
  person: string;
  n: number;
  at: string;
  /** A digest of the value as it was sealed: no two are alike, so it tells which edit it belongs to. */
  value: string;
}

/** Values may be long, and there are many: their digests are kept. */
export const digestOf = (value: string): string => hash('sha256', value, 'base64');

/** A turn of a run counts as an edit: every run has one, which its id names. */
export function turnOf(service_id: string, person: string, n: number): Edit {
  const run = `run_${service_id}_${n}`;
  return { service_id, person, n, at: run, value: run };
}
