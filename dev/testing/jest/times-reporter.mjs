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

  onTestFileResult({ path }, { cpuSeconds = 0, programSeconds = 0, perfStats }) {
    this.files.push({ file: relative(this.rootDir, path), cpuSeconds, programSeconds, seconds: perfStats.runtime / 1000 });
  }

  onRunComplete() {
    const byCost = this.files.toSorted((a, b) => cost(b) - cost(a));
    if (process.env.CODASE_TEST_TIMES) writeFileSync(process.env.CODASE_TEST_TIMES, byCost.map((file) => `${line(file)}\n`).join(''));
    if (byCost.length <= SHOWN) return;
    const sum = (key) => this.files.reduce((total, file) => total + file[key], 0);
    const all = {
      cpuSeconds: sum('cpuSeconds'),
      programSeconds: sum('programSeconds'),
      seconds: sum('seconds'),
      file: `all ${this.files.length} files`,
    };
    console.error(['CPU s of worker, of its programs; wall s', ...byCost.slice(0, SHOWN).map(line), line(all)].join('\n'));
  }
}

const cost = ({ cpuSeconds, programSeconds }) => cpuSeconds + programSeconds;
const line = ({ cpuSeconds, programSeconds, seconds, file }) =>
  `${cpuSeconds.toFixed(2).padStart(8)} ${programSeconds.toFixed(2).padStart(8)} ${seconds.toFixed(1).padStart(8)}  ${file}`;
