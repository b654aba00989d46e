import type { Examples } from '../core/example.ts';

const ORIGIN = 'codase.example/.well-known/codase-log/1';
const TEXT = `${ORIGIN}\n81220\npXW7u0k1oM4l7a2nqkq1TgYp1gIyPpB5T4kZ1cG6m7E=\ntime 2026-11-19T12:00:00.000Z\n`;

/** Examples, by the names of the endpoints. */
export const auditExamples: Examples = {
  read_log_mirror: { result: { heads: [`${TEXT}\n— ${ORIGIN} 3q2+7w…\n`] } },
};
