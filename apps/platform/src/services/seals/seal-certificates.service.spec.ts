import { Refusal, type SealCertificate } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import type { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { SealCertificates } from './seal-certificates.service.ts';

const OWN = { certificate_id: 'a'.repeat(64), certificate_pem: 'own', created_at: new Date('2026-03-02T10:00:00Z') };
const certificate = (certificate_pem: string): SealCertificate => ({
  certificate_pem,
  fingerprint_sha256: 'b'.repeat(64),
  created_at: '2026-03-02T10:00:00.000Z',
});

describe('SealCertificates', () => {
  let answer: () => Promise<{ certificates: SealCertificate[] }>;
  const frontDoor = { request: () => answer() } as unknown as FrontDoorRequests;
  const names = async (known: SealCertificates) => {
    const { certificates, complete } = await known.all();
    return [certificates.map(({ certificate_pem }) => certificate_pem), complete];
  };
  const away = () => Promise.reject(new Refusal('service.unavailable'));
  const db = { getRepository: () => ({ find: async () => [OWN] }) } as unknown as DataSource;
  const open = () => new SealCertificates(frontDoor, db);

  it('returns the certificates of the front door', async () => {
    answer = async () => ({ certificates: [certificate('own'), certificate('other')] });

    expect(await names(open())).toEqual([['own', 'other'], true]);
  });

  it("returns the last known certificates, or the region's own, while the front door is down", async () => {
    answer = away;
    const known = open();
    expect(await names(known)).toEqual([['own'], false]);

    answer = async () => ({ certificates: [certificate('own'), certificate('other')] });
    await known.all();
    answer = away;
    expect(await names(known)).toEqual([['own', 'other'], false]);
  });

  it('does not hide an unexpected error', async () => {
    answer = () => Promise.reject(new TypeError('a mistake of ours'));

    await expect(open().all()).rejects.toThrow('a mistake of ours');
  });
});
