import { Refusal } from '@codase/contracts';
import { readFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { PdfVerification } from './pdf-verification.service.ts';

const PDF = readFileSync('libs/pdf/test/fixtures/producers/reportlab.pdf');

describe('PDF verification', () => {
  const knowsNoCertificates = { getRepository: () => ({ find: async () => [] }) } as unknown as DataSource;
  const verification = new PdfVerification(knowsNoCertificates);
  afterAll(() => verification.onApplicationShutdown());

  it('queues a few PDFs of an address, refuses further ones, and does not affect another address', async () => {
    const over: string[] = [];
    const verifies = (address: string) =>
      verification.verify(address, PDF).then(
        ({ verdict }) => void over.push(`${address} ${verdict}`),
        (error: unknown) => void over.push(`${address} ${(error as Refusal).key}`),
      );
    const many = [1, 2, 3, 4, 5].map(() => verifies('192.0.2.1'));
    const one = verifies('198.51.100.1');

    await Promise.all([...many, one]);

    expect(over.toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => '192.0.2.1 not_signed'),
      '192.0.2.1 service.overloaded',
      '198.51.100.1 not_signed',
    ]);
  });
});
