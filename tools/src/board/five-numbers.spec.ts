import { fiveNumbers, isShown, waiting } from './five-numbers.ts';
import { readSamples, type Scrape, type ServiceScrape } from './scrapes.ts';

const scrapeOf = (text: string, scrape: Partial<Scrape> = {}): ServiceScrape => ({
  at_ms: 0,
  scrapes: [{ service: 'shop-backend', ready: true, reasons: [], samples: readSamples(text).filter(isShown), ...scrape }],
});
const EMPTY = scrapeOf('');
const numbers = (before: ServiceScrape, now: ServiceScrape) => fiveNumbers(before, now).map(({ value, state }) => `${value}: ${state}`);

describe('the five numbers of the board', () => {
  it('are well when nothing happens, and say how to cause an event', () => {
    expect(numbers(EMPTY, EMPTY)).toEqual(['1 of 1: well', '0 of 0: well', '0 ms: well', 'none yet: well', '0: well']);
    expect(fiveNumbers(EMPTY, EMPTY)[1]!.says).toContain('npm run codase -- trigger');
  });

  it('name the service that is not ready, and the reason', () => {
    const unready = scrapeOf('', { ready: false, reasons: ['nats: no connection'] });
    expect(fiveNumbers(EMPTY, unready)[0]).toMatchObject({ value: '0 of 1', state: 'bad', says: 'shop-backend: nats: no connection' });
    expect(fiveNumbers(EMPTY, scrapeOf('', { ready: false }))[0]!.says).toBe('shop-backend: does not answer');
  });

  it('count from the first scrape, and from zero after a service restarted', () => {
    const counted = (handled: number) => scrapeOf(`codase_feed_received_total 9\ncodase_client_handled_total ${handled}`);
    expect(numbers(counted(5), counted(7))[1]).toBe('2 of 0: well');
    expect(numbers(counted(7), counted(2))[1]).toBe('2 of 0: well');
  });

  it('are bad when events arrive and none is handled', () => {
    expect(numbers(EMPTY, scrapeOf('codase_feed_received_total{codase_service="shop"} 3'))[1]).toBe('0 of 3: bad');
  });

  it.each([
    ['codase_feed_spool_age{codase_service="shop"} 0.4', '400 ms: well'],
    ['codase_client_backlog_age_seconds 11', '11 s: look'],
    ['codase_webhook_backlog_age 61.2', '61 s: bad'],
  ])('rate the longest wait: %s', (text, verdict) => expect(numbers(EMPTY, scrapeOf(text))[2]).toBe(verdict));

  it('show the histogram bucket of the 99th percentile since the first scrape', () => {
    const buckets = (...counts: number[]) =>
      scrapeOf(['0.1', '0.5', '30', '+Inf'].map((le, i) => `codase_client_lag_seconds_bucket{le="${le}"} ${counts[i]}`).join('\n'));
    expect(numbers(EMPTY, buckets(98, 99, 100, 100))[3]).toBe('≤ 500 ms: well');
    expect(numbers(buckets(98, 98, 98, 98), buckets(98, 98, 99, 99))[3]).toBe('≤ 30 s: look');
    expect(numbers(EMPTY, buckets(0, 0, 0, 1))[3]).toBe('days: bad');
  });

  it('add up what needs an operator, and say what to do about each', () => {
    const now = scrapeOf('codase_bus_parked_total{codase_service="shop"} 2\ncodase_unexpected_total 1\ncodase_feed_unreadable_total 4');
    const says = /^1 unexpected errors.* 2 events parked.* 4 events could not be read/;
    expect(fiveNumbers(EMPTY, now)[4]).toMatchObject({ value: '7', state: 'bad', says: expect.stringMatching(says) });
  });
});

describe('the list of waiting events', () => {
  it('is sorted by longest wait, with the service and the group', () => {
    const now = scrapeOf(
      'codase_feed_spool_age{codase_service="shop"} 1\n' +
        'codase_client_backlog_age{codase_service="shop",messaging_consumer_group_name="customers"} 2',
    );
    expect(waiting(now).map(({ what, seconds }) => `${what} ${seconds}`)).toEqual(['shop, customers 2', 'shop 1']);
  });
});
