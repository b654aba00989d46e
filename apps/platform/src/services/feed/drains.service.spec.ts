import { ManualClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import { Drains } from './drains.service.ts';

describe('concurrent drains @spec D1-4.3', () => {
  it('are limited for each company, so that there is room for others @gap D1-4.3', async () => {
    const begun: string[] = [];
    const writes = {
      writeFrom<T>(company: string): Promise<T> {
        begun.push(company);
        return new Promise(() => undefined);
      },
    };
    const drains = new Drains(writes, [], new ManualClock(new Date()), silentLog);
    const begins = (company_user_id: string, channel: string) => drains.drain({ company_user_id, channel });

    const acmes = Array.from({ length: 12 }, (_, nth) => begins('usr_acme', `web_${nth}`).catch(String));
    void begins('usr_bolt', 'ser_bolt').catch(() => undefined);

    for (const refused of await Promise.all(acmes.slice(3)))
      expect(refused).toContain('Your company drains as many feeds as it can at once');
    expect(begun).toEqual(['usr_acme', 'usr_acme', 'usr_acme', 'usr_bolt']);
  });
});
