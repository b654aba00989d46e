import { mailTextOf, type MailContent } from './mail-text.ts';

const mail = (facts: Partial<MailContent['facts']> = {}, service_name = 'Acme Shop'): MailContent => ({
  kind: 'webhook_backlog',
  service_id: 'svc_1',
  service_name,
  webhook_id: 'wh_1',
  created_at: new Date('2026-03-12T13:30:00Z'),
  facts: { host: 'hooks.acme.example', enabled: true, oldest_at: '2026-03-10T12:00:00.000Z', lost: 0, ...facts },
});

describe('webhook backlog mail @spec D1-6.3', () => {
  it('names webhook and service, how long events have waited and when they are lost @spec D1-8', () => {
    const { subject, text } = mailTextOf(mail());

    expect(subject).toBe('Acme Shop: events are waiting for the webhook to hooks.acme.example');
    expect(text).toContain(
      'The webhook wh_1 of your service "Acme Shop" to hooks.acme.example does not take its events. This is how it stood at 2026-03-12 ' +
        '13:30 UTC:',
    );
    expect(text).toContain(
      'The oldest event waits since 2026-03-10 12:00 UTC, for 2 days. What has waited 7 days is lost: the oldest at 2026-03-17 12:00 UTC.',
    );
    expect(text).not.toContain('disabled');
  });

  it('says how to fix the webhook', () => {
    const { text } = mailTextOf(mail());

    expect(text).toContain('answer every delivery with status 200, within 10 seconds. It is probed every 10 minutes');
    expect(text).toContain('POST /api/services/svc_1/webhooks/wh_1/test');
    expect(text).toContain('GET /api/services/svc_1/logs');
  });

  it.each([
    [1, '1 event'],
    [12, '12 events'],
  ])('says how many events are lost: %d', (lost, counted) => {
    const { subject, text } = mailTextOf(mail({ lost }));

    expect(subject).toBe(`Acme Shop: ${counted} lost for the webhook to hooks.acme.example`);
    expect(text).toContain(`Lost after waiting 7 days: ${counted}.`);
    expect(text).toContain('The oldest event waits since 2026-03-10 12:00 UTC');
  });

  it('says that no events wait when all are lost', () => {
    const { text } = mailTextOf(mail({ lost: 3, oldest_at: null }));

    expect(text).toContain('Nothing else waits.');
    expect(text).not.toContain('The oldest event');
  });

  it('says that the webhook is disabled', () => {
    expect(mailTextOf(mail({ enabled: false })).text).toContain('- The webhook is disabled. Enable it');
  });

  it('removes line breaks from the name of a service', () => {
    const { subject, text } = mailTextOf(mail({}, 'Shop\r\nBcc: all@acme.example\u2028x'));

    expect(subject).toBe('Shop Bcc: all@acme.example x: events are waiting for the webhook to hooks.acme.example');
    expect(text).toContain('"Shop Bcc: all@acme.example x"');
  });
});
