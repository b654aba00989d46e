// Informs the process that started Jest of each test that has ended, and prints at the end which files took the most time. When
// CODASE_TEST_TIMES names a file, the times of all files are written to it.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const SHOWN = 10;

export default class TimesReporter {
  files = [];

  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onTestCaseResult() {
    process.send?.('a test has ended');
  }

  onTestFileResult({ path }, { cpuSeconds = 0, perfStats }) {
    this.files.push({ file: relative(this.rootDir, path), cpuSeconds, seconds: perfStats.runtime / 1000 });
  }

  onRunComplete() {
    const byCost = this.files.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds);
    if (process.env.CODASE_TEST_TIMES) writeFileSync(process.env.CODASE_TEST_TIMES, byCost.map((file) => `${line(file)}\n`).join(''));
    if (byCost.length <= SHOWN) return;
    const sum = (key) => this.files.reduce((total, file) => total + file[key], 0);
    const all = { cpuSeconds: sum('cpuSeconds'), seconds: sum('seconds'), file: `all ${this.files.length} files, in their workers` };
    console.error(['   CPU s   wall s', ...byCost.slice(0, SHOWN).map(line), line(all)].join('\n'));
  }
}

const line = ({ cpuSeconds, seconds, file }) => `${cpuSeconds.toFixed(2).padStart(8)} ${seconds.toFixed(1).padStart(8)}  ${file}`;
