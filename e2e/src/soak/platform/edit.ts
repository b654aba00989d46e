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

/** So does a message; its body is sealed with random bytes, so that it names it. Messages have an order of their own. */
export function messageOf(service_id: string, person: string, n: number, body: string): Edit {
  const digest = digestOf(body);
  return { service_id, person: `${person} messages`, n, at: digest, value: digest };
}

/** And what befell a document, by its id. */
export const documentOf = (service_id: string, person: string, n: number, at: string): Edit => ({
  service_id,
  person: `${person} documents`,
  n,
  at,
  value: at,
});
