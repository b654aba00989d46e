import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLATFORM, SEAL } from '../test/identities.ts';
import { OTHER_VERIFIERS } from '../test/other-verifiers.ts';
import { PRODUCERS } from '../test/producers.ts';
import { PdfProcesses } from './pdf-processes.ts';
import type { SignatureAct } from './signatures-page/acts.ts';
import { verify } from './verify.ts';

const pool = new PdfProcesses({ size: 1 });
const folder = mkdtempSync(join(tmpdir(), 'codase-pdf-'));
afterAll(() => {
  pool.stop();
  rmSync(folder, { recursive: true });
});

const here = OTHER_VERIFIERS.filter(({ isHere }) => isHere);
const absent = OTHER_VERIFIERS.filter(({ isHere }) => !isHere);

const act: SignatureAct = {
  action: 'signed',
  method: 'email',
  signer_first_name: 'Zoë',
  signer_last_name: 'Ångström',
  signer_name_verified: true,
  created_at: '2026-11-16T13:00:00Z',
};

describe('a PDF of every producer', () => {
  it('is there, of twelve or more', () => {
    expect(PRODUCERS.length).toBeGreaterThanOrEqual(12);
  });

  it.each(PRODUCERS)('%s is sealed with its Signatures page, and every verifier that this machine has agrees', async (_, pdf) => {
    const sealed = await pool.seal(pdf, { ...SEAL, signaturesPage: { document_name: 'Contract', acts: [act] } });

    expect(sealed.subarray(0, pdf.length).equals(pdf)).toBe(true);
    expect(verify(sealed, { certificates: [PLATFORM.certificate] }).verdict).toBe('sealed');
    expect(here.map((verifier) => verifier.problemWith(sealed, folder, PLATFORM.certificate.toString())).filter(Boolean)).toEqual([]);
  });

  it('is shown to verifiers that see an altered one too', async () => {
    const sealed = await pool.seal(PRODUCERS[0]![1], SEAL);
    sealed[20]! ^= 1;

    const judging = here.filter(({ program }) => program !== 'qpdf'); // qpdf checks the structure alone
    expect(judging.filter((verifier) => verifier.problemWith(sealed, folder, PLATFORM.certificate.toString()) === '')).toEqual([]);
  });
});

describe('the guide', () => {
  it('verifies a sealed PDF with openssl alone, and finds what was signed', async () => {
    const pdf = PRODUCERS[0]![1];
    writeFileSync(join(folder, 'contract.pdf'), await pool.seal(pdf, SEAL));
    writeFileSync(join(folder, 'platform.pem'), PLATFORM.certificate.toString());
    const guide = readFileSync(new URL('../../../docs/guides/sealed-documents.md', import.meta.url), 'utf8');
    const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!).filter((block) => block.includes('grep -ao'));

    const { stdout, stderr } = spawnSync('bash', ['-e', '-c', blocks.join('')], { cwd: folder, encoding: 'utf8' });

    expect(stderr).toContain('CAdES Verification successful');
    expect(stdout).toContain(createHash('sha256').update(pdf).digest('hex'));
  });
});

if (absent.length > 0) {
  describe('verifiers that this machine does not have', () => {
    it.each(absent.map(({ program, package: name }) => [program, name]))('%s: so it was not asked; apt-get install %s', (program) => {
      console.warn(`Sealed PDFs were not shown to ${program}, which is not on the PATH.`);
      expect(here.map((verifier) => verifier.program)).not.toContain(program);
    });
  });
}
