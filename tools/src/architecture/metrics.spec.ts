import { metricViolations } from './metrics.ts';

const file = (name: string, text: string) => ({ file: `apps/platform/src/${name}`, text });
const METRICS =
  "export const METRICS = {\n  sent: { name: 'codase.mail.sent', kind: 'counter' },\n  lost: {\n    name: 'codase.mail.lost',\n  },\n};";
const COUNTS = file('services/mail/sender.service.ts', 'count(METRICS.sent);\ncount(METRICS.lost);');

describe('a metric declaration', () => {
  it('is accepted once, in the folder that counts it', () => {
    expect(metricViolations([file('services/mail/metrics.ts', METRICS), COUNTS])).toEqual([]);
  });

  it('is also seen when a function declares it', () => {
    const gone = "gone: counter('codase.mail.gone', '{mail}', 'Mails')";
    const late = "late: gauge(\n    'codase.mail.late',\n  )";
    const declared = `export const METRICS = {\n  ${gone},\n  ${late},\n};`;
    expect(metricViolations([file('services/mail/metrics.ts', declared)])).toEqual([
      expect.stringContaining('codase.mail.gone, but nothing'),
      expect.stringContaining('codase.mail.late, but nothing'),
    ]);
  });

  it('is refused when another metric has the same name', () => {
    const other = file('services/feed/metrics.ts', "export const METRICS = {\n  mails: { name: 'codase.mail.sent' },\n};");

    expect(
      metricViolations([file('services/mail/metrics.ts', METRICS), COUNTS, other, file('services/feed/a.service.ts', 'METRICS.mails')]),
    ).toEqual([
      expect.stringContaining(
        'feed/metrics.ts declares the metric codase.mail.sent, which apps/platform/src/services/mail/metrics.ts declares already',
      ),
    ]);
  });

  it.each([
    ['nobody counts it', file('services/mail/sender.service.ts', 'count(METRICS.sent);')],
    ['another folder counts it', { ...COUNTS, file: 'apps/platform/src/services/feed/a.service.ts' }],
    ['a test counts it', { ...COUNTS, file: 'apps/platform/src/services/mail/sender.spec.ts' }],
  ])('is refused when %s', (_, counting) => {
    expect(metricViolations([file('services/mail/metrics.ts', METRICS), counting])).toContainEqual(
      expect.stringContaining('declares the metric codase.mail.lost, but nothing in apps/platform/src/services/mail counts it'),
    );
  });

  it('is required for every metric that a board shows', () => {
    const board = { file: 'tools/src/board/numbers.ts', text: "growth('codase.mail.sent') + growth('codase.mail.gone')" };
    expect(metricViolations([file('services/mail/metrics.ts', METRICS), COUNTS, board])).toEqual([
      'tools/src/board/numbers.ts shows the metric codase.mail.gone, which nobody declares.',
    ]);
  });
});
