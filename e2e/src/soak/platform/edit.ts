import { hash } from 'node:crypto';

/** An edit that the platform confirmed: its number, and the platform's time of it, which identifies its event. */
export interface Edit {
  service_id: string;
  person: string;
  n: number;
  at: string;
  /** A digest of the sealed value. All are different, so it identifies the edit. */
  value: string;
}

/** Returns the digest of a value. Values may be long and there are many, so only digests are kept. */
export const digestOf = (value: string): string => hash('sha256', value, 'base64');

/** Counts a turn of a run as an edit. Every run has one turn, which the run's id identifies. */
export function turnOf(service_id: string, person: string, n: number): Edit {
  const run = `run_${service_id}_${n}`;
  return { service_id, person, n, at: run, value: run };
}

/** Counts a message as an edit. Its body is sealed with random bytes, so the body identifies it. Messages have their own order. */
export function messageOf(service_id: string, person: string, n: number, body: string): Edit {
  const digest = digestOf(body);
  return { service_id, person: `${person} messages`, n, at: digest, value: digest };
}

/** Counts an event of a document as an edit, by the document's id. */
export const documentOf = (service_id: string, person: string, n: number, at: string): Edit => ({
  service_id,
  person: `${person} documents`,
  n,
  at,
  value: at,
});
