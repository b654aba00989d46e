import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A third-party program, and what it must say of a sealed PDF. */
interface OtherVerifier {
  program: string;
  /** The package that has the program. */
  package: string;
  /** Whether this machine has the program. */
  isHere: boolean;
  /** Returns what the program finds wrong with a sealed PDF, which is put into the folder; an empty string when nothing is wrong. */
  problemWith(sealed: Buffer, folder: string, certificatePem: string): string;
}

const run = (program: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  return { ok: status === 0, said: `${stdout}${stderr}` };
};

/** Runs a program whose output must match all expected patterns. */
function saying(program: string, args: readonly string[], ...expected: RegExp[]) {
  return (sealed: Buffer, folder: string): string => {
    const path = join(folder, 'sealed.pdf');
    writeFileSync(path, sealed);
    const { ok, said } = run(program, [...args, path]);
    return ok && expected.every((one) => one.test(said)) ? '' : `${program}: ${said}`;
  };
}

const PROGRAMS: Omit<OtherVerifier, 'isHere'>[] = [
  { program: 'pdfsig', package: 'poppler-utils', problemWith: saying('pdfsig', [], /Signature is Valid/, /Total document signed/) },
  { program: 'qpdf', package: 'qpdf', problemWith: saying('qpdf', ['--check'], /No syntax or stream encoding errors/) },
  { program: 'mutool', package: 'mupdf-tools', problemWith: saying('mutool', ['sign', '-v'], /The document is unchanged since signing/) },
  { program: 'openssl', package: 'openssl', problemWith: opensslProblem },
];

/** openssl does not know PDF, so it is given the signed bytes and the signature, which anyone can take out of the file. */
function opensslProblem(sealed: Buffer, folder: string, certificatePem: string): string {
  const [start, end] = [...sealed.toString('latin1').matchAll(/\/ByteRange \[0 (\d+) (\d+) \d+\]/g)].at(-1)!.slice(1).map(Number) as [
    number,
    number,
  ];
  const signature = Buffer.from(sealed.toString('latin1', start + 1, end - 1), 'hex');
  const path = (name: string) => join(folder, name);
  writeFileSync(path('content'), Buffer.concat([sealed.subarray(0, start), sealed.subarray(end)]));
  writeFileSync(path('signature'), signature.subarray(0, 4 + signature.readUInt16BE(2)));
  writeFileSync(path('certificate.pem'), certificatePem);
  const files = ['-in', path('signature'), '-content', path('content'), '-CAfile', path('certificate.pem'), '-out', path('out')];
  const { ok, said } = run('openssl', ['cms', '-verify', '-cades', '-binary', '-inform', 'DER', ...files]);
  return ok && said.includes('CAdES Verification successful') ? '' : `openssl: ${said}`;
}

export const OTHER_VERIFIERS: readonly OtherVerifier[] = PROGRAMS.map((verifier) => ({
  ...verifier,
  isHere: spawnSync(verifier.program, ['version'], { stdio: 'ignore' }).error === undefined,
}));
