export type { Bench } from './harness/bench.ts';
export { measure } from './harness/measure.ts';
export { jsonLine, report } from './harness/report.ts';
export { judge } from './harness/verdict.ts';
