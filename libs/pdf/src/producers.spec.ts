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

const here = OTHER_VERIFIERS.filter(({ isInstalled }) => isInstalled);
const absent = OTHER_VERIFIERS.filter(({ isInstalled }) => !isInstalled);

const act: SignatureAct = {
  action: 'signed',
  method: 'email',
  signer_first_name: 'Zoë',
  signer_last_name: 'Ångström',
  signer_name_verified: true,
  created_at: '2026-11-16T13:00:00Z',
};

describe('sealing a PDF of each producer', () => {
  it('covers at least twelve producers', () => {
    expect(PRODUCERS.length).toBeGreaterThanOrEqual(12);
  });

  it.each(PRODUCERS)('makes of %s a PDF with a Signatures page that every installed verifier accepts', async (_, pdf) => {
    const sealed = await pool.seal(pdf, { ...SEAL, signaturesPage: { document_name: 'Contract', acts: [act] } });

    expect(sealed.subarray(0, pdf.length).equals(pdf)).toBe(true);
    expect(verify(sealed, { certificates: [PLATFORM.certificate] }).verdict).toBe('sealed');
    expect(here.map((verifier) => verifier.problemWith(sealed, folder, PLATFORM.certificate.toString())).filter(Boolean)).toEqual([]);
  });

  it('makes a PDF that every installed verifier rejects once it is altered', async () => {
    const sealed = await pool.seal(PRODUCERS[0]![1], SEAL);
    sealed[20]! ^= 1;

    const judging = here.filter(({ program }) => program !== 'qpdf'); // qpdf checks the structure alone
    expect(judging.filter((verifier) => verifier.problemWith(sealed, folder, PLATFORM.certificate.toString()) === '')).toEqual([]);
  });
});

describe('the guide to sealed documents', () => {
  it('verifies a sealed PDF with openssl only and prints the digest of the signed document', async () => {
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
  describe('third-party verifiers that are not installed', () => {
    it.each(absent.map(({ program, package: name }) => [program, name]))(
      '%s is not installed, so sealed PDFs are not tested with it; apt-get install %s',
      (program) => {
        console.warn(`Sealed PDFs were not shown to ${program}, which is not on the PATH.`);
        expect(here.map((verifier) => verifier.program)).not.toContain(program);
      },
    );
  });
}
