import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A third-party program, and what it must print about a sealed PDF. */
interface OtherVerifier {
  program: string;
  /** The package that has the program. */
  package: string;
  /** Whether this machine has the program. */
  isInstalled: boolean;
  /** Writes a sealed PDF to the folder. Returns what the program finds wrong with it; an empty string when nothing is wrong. */
  problemWith(sealed: Buffer, folder: string, certificatePem: string): string;
}

const run = (program: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  return { ok: status === 0, output: `${stdout}${stderr}` };
};

/** Runs a program whose output must match all expected patterns. */
function expectsOutput(program: string, args: readonly string[], ...expected: RegExp[]) {
  return (sealed: Buffer, folder: string): string => {
    const path = join(folder, 'sealed.pdf');
    writeFileSync(path, sealed);
    const { ok, output } = run(program, [...args, path]);
    return ok && expected.every((one) => one.test(output)) ? '' : `${program}: ${output}`;
  };
}

const PROGRAMS: Omit<OtherVerifier, 'isInstalled'>[] = [
  { program: 'pdfsig', package: 'poppler-utils', problemWith: expectsOutput('pdfsig', [], /Signature is Valid/, /Total document signed/) },
  { program: 'qpdf', package: 'qpdf', problemWith: expectsOutput('qpdf', ['--check'], /No syntax or stream encoding errors/) },
  {
    program: 'mutool',
    package: 'mupdf-tools',
    problemWith: expectsOutput('mutool', ['sign', '-v'], /The document is unchanged since signing/),
  },
  { program: 'openssl', package: 'openssl', problemWith: opensslProblem },
];

/** Tag and length of a DER value of more than 255 bytes. What follows the value is padding with zeros. */
const DER_HEADER = 4;

/** openssl does not know PDF, so it is given the signed bytes and the signature, which anyone can take out of the file. */
function opensslProblem(sealed: Buffer, folder: string, certificatePem: string): string {
  const [start, end] = [...sealed.toString('latin1').matchAll(/\/ByteRange \[0 (\d+) (\d+) \d+\]/g)].at(-1)!.slice(1).map(Number) as [
    number,
    number,
  ];
  const signature = Buffer.from(sealed.toString('latin1', start + 1, end - 1), 'hex');
  const path = (name: string) => join(folder, name);
  writeFileSync(path('content'), Buffer.concat([sealed.subarray(0, start), sealed.subarray(end)]));
  writeFileSync(path('signature'), signature.subarray(0, DER_HEADER + signature.readUInt16BE(2)));
  writeFileSync(path('certificate.pem'), certificatePem);
  const files = ['-in', path('signature'), '-content', path('content'), '-CAfile', path('certificate.pem'), '-out', path('out')];
  const { ok, output } = run('openssl', ['cms', '-verify', '-cades', '-binary', '-inform', 'DER', ...files]);
  return ok && output.includes('CAdES Verification successful') ? '' : `openssl: ${output}`;
}

export const OTHER_VERIFIERS: readonly OtherVerifier[] = PROGRAMS.map((verifier) => ({
  ...verifier,
  isInstalled: spawnSync(verifier.program, ['version'], { stdio: 'ignore' }).error === undefined,
}));
