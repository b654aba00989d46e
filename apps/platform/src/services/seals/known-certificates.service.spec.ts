import { readFileSync } from 'node:fs';
import type { StoredIdentity } from '@codase/pdf';
import type { DataSource } from 'typeorm';
import { KnownCertificates } from './known-certificates.service.ts';

const { certificate_pem } = JSON.parse(readFileSync('libs/pdf/test/fixtures/identity.json', 'utf8')) as StoredIdentity;

describe('certificates registered at the front door', () => {
  it('are stored with their region, and none is stored when one of them is invalid', async () => {
    const added: unknown[] = [];
    const insert = {
      insert: () => insert,
      into: () => insert,
      values: (row: unknown) => ({ orIgnore: () => ({ execute: async () => void added.push(row) }) }),
    };
    const db = { createQueryBuilder: () => insert } as unknown as DataSource;
    const known = new KnownCertificates(db, { now: () => new Date('2026-11-16T12:00:00Z') });

    await expect(known.register('eu', [certificate_pem, 'rubbish'])).rejects.toMatchObject({ key: 'request.invalid' });
    expect(added).toEqual([]);
    await known.register('eu', [certificate_pem]);

    expect(added).toEqual([
      {
        certificate_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        certificate_pem: expect.stringContaining('BEGIN CERTIFICATE'),
        region: 'eu',
        created_at: expect.any(Date),
      },
    ]);
  });
});
