import type { Examples } from '../core/example.ts';

const ORIGIN = 'codase.example/.well-known/codase-log/1';
const TEXT = `${ORIGIN}\n81220\npXW7u0k1oM4l7a2nqkq1TgYp1gIyPpB5T4kZ1cG6m7E=\ntime 2026-11-19T12:00:00.000Z\n`;

const HASH = 'pXW7u0k1oM4l7a2nqkq1TgYp1gIyPpB5T4kZ1cG6m7E=';
const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  kid: '3q2-7w',
};
const PROOF = {
  at: '2026-11-19T11:58:03.000Z',
  salt: '5b0a6f2e-6a0e-4d1c-9f5c-2f7f6b8f9c11',
  entry_salt: 'c2b1f3a4-1d22-4c77-8a6e-0f7d5e9b3c10',
  leaf: 81_217,
  path: [HASH],
  head: `${TEXT}\n— ${ORIGIN} 3q2+7w…\n`,
  consistency: null,
};

/** Examples, by the names of the endpoints. */
export const auditExamples: Examples = {
  prove_key: { result: PROOF },
  read_key_proof: { result: { ...PROOF, base: 'front-door', keys: [KEY] } },
  read_log_keys: { result: { bases: [{ base: 'front-door', address: 'codase.example/.well-known/codase-log', keys: [KEY] }] } },
  read_log_mirror: { result: { heads: [`${TEXT}\n— ${ORIGIN} 3q2+7w…\n`] } },
};
