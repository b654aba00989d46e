import { existsSync, readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { eventually } from '@codase/testing/eventually';
import { buildPdf } from '../test/build-pdf.ts';
import { OTHER, PLATFORM, SEAL } from '../test/identities.ts';
import { checkSealing } from './check-sealing.ts';
import { PdfFile } from './file/pdf-file.ts';
import { readPageTree } from './file/pages.ts';
import { PdfProcess } from './pdf-process.ts';
import { PdfProcesses, PdfProcessesBusy } from './pdf-processes.ts';
import { PdfRefusal } from './refusal.ts';
import { verify } from './verify.ts';
import type { SignatureAct } from './signatures-page/acts.ts';

const certificates = [PLATFORM.certificate];
const MB = 1024 * 1024;
const pool = new PdfProcesses({ size: 1, maxWaiting: 2 });
afterAll(() => pool.stop());

const act = (signer_first_name: string, signer_last_name: string, more: Partial<SignatureAct> = {}): SignatureAct => ({
  action: 'signed',
  method: 'biometric',
  signer_first_name,
  signer_last_name,
  signer_name_verified: true,
  created_at: '2026-11-16T13:00:00+01:00',
  ...more,
});

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The text of the Signatures pages, line by line: each line has its characters beside its glyphs. */
function linesOf(sealed: Buffer, from: number): string[] {
  const texts = sealed
    .subarray(from)
    .toString('latin1')
    .matchAll(/ActualText <feff([0-9a-f]*)>/g);
  return [...texts].map(([, hex]) => Buffer.from(hex!, 'hex').swap16().toString('utf16le'));
}

describe('the PDF process pool', () => {
  it('appends a Signatures page with signer, method, time and document digest under the same seal', async () => {
    const pdf = buildPdf();
    const acts = [act('Ana', 'Lind'), act('محمد', 'الفاسي', { action: 'accepted', method: 'twofa', signer_name_verified: false })];

    const sealed = await pool.seal(pdf, { ...SEAL, signaturesPage: { document_name: 'A contract', acts } });

    const { verdict, signatures } = verify(sealed, { certificates });
    expect(verdict).toBe('sealed');
    expect(sealed.subarray(0, pdf.length).equals(pdf)).toBe(true);
    expect(readPageTree(new PdfFile(sealed)).count).toBe(2);
    const lines = linesOf(sealed, pdf.length);
    expect(lines).toEqual(
      expect.arrayContaining([
        'Signatures',
        'A contract',
        signatures[0]!.signed!.sha256,
        '1. Ana Lind',
        '2. محمد الفاسي',
        'The name is not verified.',
      ]),
    );
    expect(lines.join(' ')).toContain('signed at 2026-11-16 12:00:00 UTC, biometric: ');
    expect(lines.join(' ')).toContain('accepted at 2026-11-16 12:00:00 UTC, twofa: ');
  });

  it('wraps long names on the Signatures pages without losing text', async () => {
    const pdf = buildPdf({ form: 'stream' });
    const long = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(12);
    const names = [long, '田中太郎', 'U+20BB7 𠮷', 'line\nbreak \u202eevil', 'Ω'];
    const acts = Array.from({ length: 40 }, (_, i) => act(names[i % names.length]!, String(i), { method: i % 2 ? 'email' : 'custodian' }));

    const sealed = await pool.seal(pdf, { ...SEAL, signaturesPage: { document_name: 'A contract', acts } });

    expect(verify(sealed, { certificates }).verdict).toBe('sealed');
    expect(readPageTree(new PdfFile(sealed)).count).toBeGreaterThan(3);
    const text = linesOf(sealed, pdf.length).join('');
    expect(text.split(long)).toHaveLength(9);
    expect(text).toContain('line break evil');
    expect(text).toContain('田中太郎');
  });

  it('checks at startup that the seal certificate is valid and can seal', async () => {
    await expect(checkSealing(pool, PLATFORM, SEAL.time)).resolves.toBeUndefined();
    await expect(checkSealing(pool, PLATFORM, new Date('2040-01-01'))).rejects.toThrow('not valid today');
    await expect(checkSealing(pool, { ...PLATFORM, key: OTHER.key }, SEAL.time)).rejects.toThrow('does not verify');
  });

  it('rejects a job without a verdict on its PDF when it is stopped during the job', async () => {
    const stopped = new PdfProcesses({ size: 1 });
    await stopped.verify(buildPdf());
    process.kill(stopped.pids[0]!, 'SIGSTOP');
    const sealing = stopped.seal(buildPdf(), SEAL).catch((error: unknown) => error);
    stopped.stop();

    const error = await sealing;
    expect(error).toEqual(new Error('The process that reads PDFs was stopped.'));
    expect(error).not.toBeInstanceOf(PdfRefusal);
  });

  it('kills a starting process and rejects all jobs when it is stopped', async () => {
    const stopping = new PdfProcesses({ size: 1 });
    const jobs = [1, 2].map(() => stopping.verify(buildPdf()));
    const outcomes = Promise.allSettled(jobs);
    const [pid] = stopping.pids;
    stopping.stop();

    expect(await outcomes).toEqual(
      [1, 2].map(() => ({ status: 'rejected', reason: new Error('The process that reads PDFs was stopped.') })),
    );
    expect(stopping.pids).toEqual([]);
    await eventually(async () => (isAlive(pid!) ? undefined : true));
    await expect(stopping.verify(buildPdf())).rejects.toThrow('was stopped');
  });

  it('verifies a PDF', async () => {
    await expect(pool.verify(buildPdf())).resolves.toMatchObject({ verdict: 'not_signed' });
    await expect(pool.verify(Buffer.from('no PDF'))).resolves.toMatchObject({ verdict: 'unreadable', reason: 'not_pdf' });
  });

  it('returns the reason of a refusal and continues with the next job', async () => {
    await expect(pool.seal(Buffer.from('no PDF'), SEAL)).rejects.toMatchObject({ name: 'PdfRefusal', reason: 'not_pdf' });
    await expect(pool.seal(buildPdf(), SEAL)).resolves.toBeInstanceOf(Buffer);
  });

  it('rejects a job when its queue is full', async () => {
    const jobs = Array.from({ length: 4 }, () => pool.verify(buildPdf()));

    const results = await Promise.allSettled(jobs);

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(results[3]).toMatchObject({ reason: expect.any(PdfProcessesBusy) });
  });

  it('retries a job in another process when its process was killed', async () => {
    await pool.verify(buildPdf());
    const [pid] = pool.pids;
    process.kill(pid!, 'SIGSTOP'); // so that the job cannot be done before the kill
    const job = pool.seal(buildPdf(), SEAL);
    process.kill(pid!, 'SIGKILL');

    await expect(job).resolves.toBeInstanceOf(Buffer);
    expect(pool.pids).not.toEqual([pid]);
  });

  it('fails a job without a verdict on its PDF when two processes have died during it', async () => {
    const dying = new PdfProcesses({ size: 1, entry: new URL('../test/dying-process.mjs', import.meta.url) });

    await expect(dying.verify(buildPdf())).rejects.toBeInstanceOf(PdfProcessesBusy);
    expect(dying.pids).toEqual([]);
  });

  it('kills a process without CPU time and fails its job without a verdict on the PDF', async () => {
    const starving = new PdfProcesses({ size: 1, timeoutMs: 100, wallMs: 1000 });
    await starving.verify(buildPdf());
    process.kill(starving.pids[0]!, 'SIGSTOP');

    await expect(starving.verify(buildPdf())).rejects.toBeInstanceOf(PdfProcessesBusy);
    expect(starving.pids).toEqual([]);
    await expect(starving.verify(buildPdf())).resolves.toMatchObject({ verdict: 'not_signed' });
    starving.stop();
  });

  it('starts a new process when an idle one was killed', async () => {
    await pool.verify(buildPdf());
    process.kill(pool.pids[0]!, 'SIGKILL');
    await eventually(async () => (pool.pids.length === 0 ? true : undefined));

    await expect(pool.seal(buildPdf(), SEAL)).resolves.toBeInstanceOf(Buffer);
  });

  it('does not pass its environment to its processes', async () => {
    await pool.verify(buildPdf());

    const environment = `/proc/${pool.pids[0]}/environ`; // only some systems have such a file
    expect(existsSync(environment) ? readFileSync(environment, 'utf8') : '').not.toContain('PATH=');
  });
});

describe('the limits of a PDF process', () => {
  const prepare = { kind: 'prepare' as const, options: { reason: '', signer: '', time: new Date(), signatureBytes: 4096 } };
  const limits = { timeoutMs: 60_000, wallMs: 120_000, memoryBytes: 2048 * MB, heapBytes: 192 * MB };

  it.each([
    ['timeout', 'time', { ...limits, timeoutMs: 1 }],
    ['too_complex', 'memory', { ...limits, memoryBytes: 8 * MB }],
    ['too_complex', 'objects', { ...limits, heapBytes: 16 * MB }],
  ])('end the process with the reason %s when it needs too much %s', async (reason, _, given) => {
    const one = new PdfProcess(given);
    const rows = `xref\n0 300000\n${'0000000000 65535 f\r\n'.repeat(300_000)}trailer\n<< /Root 1 0 R >>\n`;
    const pdf = Buffer.from(`%PDF-1.7\n${rows}startxref\n9\n%%EOF\n`);

    await expect(one.run({ ...prepare, pdf })).rejects.toMatchObject({ reason });

    expect(one.pid).toBeUndefined();
  });

  it('refuse a decompression bomb without ending the process', async () => {
    const bomb = deflateSync(Buffer.alloc(20 * MB));
    const head = '%PDF-1.7\n1 0 obj\n<< /Type /XRef /W [1 4 1] /Size 9 /Root 1 0 R /Filter /FlateDecode';
    const pdf = Buffer.concat([
      Buffer.from(`${head} /Length ${bomb.length} >>\nstream\n`),
      bomb,
      Buffer.from('\nendstream\nendobj\nstartxref\n9\n%%EOF\n'),
    ]);
    const one = new PdfProcess(limits);
    const options = { ...prepare.options, limits: { inflatedBytes: 10 * MB } };

    await expect(one.run({ ...prepare, options, pdf })).rejects.toMatchObject({ reason: 'too_complex', detail: 'inflates to too much' });

    expect(one.pid).toBeDefined();
    one.stop();
  });
});
