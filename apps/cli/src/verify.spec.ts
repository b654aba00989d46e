import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageFault } from '@codase/command-line';
import { loadIdentity, seal } from '@codase/pdf';
import { inTempTree } from '@codase/testing/temp-tree';
import type { Context } from './command.ts';
import { verify } from './verify.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../libs/pdf/test/fixtures/${name}`, import.meta.url));
const PDF = fixture('producers/reportlab.pdf');
const IDENTITY = loadIdentity(JSON.parse(fixture('identity.json').toString()));
const SEALED = await seal(PDF, {
  ...IDENTITY,
  reason: 'All have\u001b[31m signed',
  signer: 'Demo',
  time: new Date('2026-11-16T13:30:00Z'),
});

const FILES = {
  'plain.pdf': PDF.toString('latin1'),
  'sealed.pdf': SEALED.toString('latin1'),
  'changed.pdf': SEALED.toString('latin1').replace('%PDF-1.3', '%PDF-1.4'),
  'longer.pdf': `${SEALED.toString('latin1')}\n`,
  'letter.txt': 'Dear Ana',
};

/** Runs the command in a folder with these files. Returns what it prints, and its exit code. */
const verifying = (words: (path: (name: string) => string) => string[]) =>
  inTempTree({ 'platform.pem': IDENTITY.certificate.toString() }, async (root) => {
    const path = (name: string) => join(root, name);
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path(name), text, 'latin1');
    const seen: { said: string; result: { verdict: string } }[] = [];
    const print = (said: string, result: unknown) => void seen.push({ said, result: result as { verdict: string } });
    const code = await verify(words(path))({ print } as unknown as Context);
    return { code, ...seen[0]! };
  });

describe('npm run codase -- verify', () => {
  it.each([
    ['sealed.pdf', 'sealed', 0, 'Sealed by the platform, and whole'],
    ['changed.pdf', 'altered', 1, 'The bytes that it covers were changed.'],
    ['longer.pdf', 'altered_after_seal', 1, 'not the whole file: 1 bytes follow'],
    ['plain.pdf', 'not_signed', 1, 'Not signed'],
    ['letter.txt', 'unreadable', 1, 'Not readable as a PDF (not_pdf).'],
  ])('reports that %s is %s and ends with exit code %s', async (file, verdict, code, words) => {
    const seen = await verifying((path) => [path(file), '--certificate', path('platform.pem')]);

    expect(seen).toMatchObject({ code, result: { verdict } });
    expect(seen.said).toContain(words);
  });

  it('prints who signed, when, and which bytes, and escapes terminal control characters of the file', async () => {
    const { said } = await verifying((path) => [path('sealed.pdf'), '--certificate', path('platform.pem')]);

    expect(said).toContain('CN=Demo document seal, O=Demo');
    expect(said).toContain('2026-11-16T13:30:00.000Z, by its own clock');
    expect(said).toContain(`the first ${PDF.length} bytes, SHA-256 `);
    expect(said).toContain('All have?[31m signed');
  });

  it('reports signed_by_others when no platform certificate is given', async () => {
    expect(await verifying((path) => [path('sealed.pdf')])).toMatchObject({ code: 1, result: { verdict: 'signed_by_others' } });
  });

  it.each([
    ['a file that is not there', (path: (name: string) => string) => [path('none.pdf')], 'cannot be read (ENOENT)'],
    [
      'a certificate that is none',
      (path: (name: string) => string) => [path('sealed.pdf'), '--certificate', path('letter.txt')],
      'has no certificate',
    ],
  ])('rejects %s with an error sentence', async (_, words, sentence) => {
    await expect(verifying(words)).rejects.toThrow(sentence);
  });

  it.each([[[]], [['a.pdf', 'b.pdf']], [['a.pdf', '--trust', 'x']]])('rejects invalid arguments before it reads any file: %j', (words) => {
    expect(() => verify(words)).toThrow(UsageFault);
  });
});
