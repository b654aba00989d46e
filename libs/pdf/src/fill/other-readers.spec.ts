import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compositeFont, page, shows } from '../../test/tagged-pdf.ts';
import { fill } from './fill.ts';

/** A third-party program that reads PDFs, and what it prints of one. */
interface OtherReader {
  program: string;
  package: string;
  run: readonly string[];
  expected: readonly string[];
}

const VALUES = { name: 'Zoë Ångström', sum: '(1) \\ {{name}} ) Tj ET', he: 'שלום', lines: 'Main Street 1\nMalmö' };
const CONTENT =
  'BT /F1 12 Tf 72 700 Td (I am {{name}}, and not {{nobody}}lost.) Tj 0 -30 Td (Pays {{sum}} today) Tj 0 -30 Td (To {{he}}) Tj ' +
  '0 -30 Td ({{lines}}) Tj ET';
const PRINTED = ['I am Zoë Ångström, and not lost.', 'Pays (1) \\ {{name}} ) Tj ET today', 'Main Street 1', 'Malmö'];

const READERS: readonly OtherReader[] = [
  { program: 'qpdf', package: 'qpdf', run: ['--check', 'FILE'], expected: ['No syntax or stream encoding errors'] },
  { program: 'pdftotext', package: 'poppler-utils', run: ['-layout', 'FILE', '-'], expected: [...PRINTED, 'שלום'] },
  { program: 'mutool', package: 'mupdf-tools', run: ['draw', '-F', 'txt', 'FILE'], expected: PRINTED },
];
const isHere = ({ program }: OtherReader) => spawnSync(program, ['-v'], { stdio: 'ignore' }).error === undefined;
const here = READERS.filter(isHere);
const absent = READERS.filter((reader) => !here.includes(reader));

const folder = mkdtempSync(join(tmpdir(), 'codase-fill-'));
afterAll(() => rmSync(folder, { recursive: true }));

function printed(reader: OtherReader, pdf: Buffer): string {
  const file = join(folder, `${reader.program}.pdf`);
  writeFileSync(file, pdf);
  const args = reader.run.map((arg) => (arg === 'FILE' ? file : arg));
  return spawnSync(reader.program, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } }).stdout;
}

describe('a filled PDF in third-party readers @spec D2-4.3.6', () => {
  it('shows all values and no tag in every reader installed on this machine', async () => {
    const filled = await fill(page(CONTENT), VALUES);

    const missed = here.map((reader) => [reader.program, reader.expected.filter((part) => !printed(reader, filled).includes(part))]);
    expect(missed).toEqual(here.map(({ program }) => [program, []]));
    expect(here.filter((reader) => printed(reader, filled).includes('{{nobody}}'))).toEqual([]);
  });

  it('shows values in place of tags with two-byte codes', async () => {
    const tag = Buffer.from('{{name}}', 'utf16le').swap16().toString('hex');
    const filled = await fill(shows(`<${tag}> Tj`, compositeFont('1 beginbfrange <0000> <00ff> <0000> endbfrange')), VALUES);

    const texts = here.filter(({ program }) => program !== 'qpdf').map((reader) => printed(reader, filled).trim());
    expect(texts).toEqual(texts.map(() => 'Zoë Ångström'));
  });
});

if (absent.length > 0) {
  describe('third-party readers that are not installed', () => {
    it.each(absent.map(({ program, package: name }) => [program, name]))(
      '%s is not installed, so filled PDFs are not tested with it; apt-get install %s',
      (program) => {
        console.warn(`Filled PDFs were not shown to ${program}, which is not on the PATH.`);
        expect(here.map((reader) => reader.program)).not.toContain(program);
      },
    );
  });
}
