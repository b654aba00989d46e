import { unavailableWhenLocked } from './customer-writes.store.ts';

it.each([
  ['a lock that was not free in time', '55P03'],
  ['a deadlock', '40P01'],
  ['a transaction that met another one', '40001'],
])('a customer write is refused with service.unavailable after %s', (_, code) => {
  expect(unavailableWhenLocked(Object.assign(new Error('of Postgres'), { code }))).toMatchObject({ key: 'service.unavailable' });
});

it('a customer write passes on every other error unchanged', () => {
  for (const error of [new Error('broken'), Object.assign(new Error('of Postgres'), { code: '23505' }), null])
    expect(unavailableWhenLocked(error)).toBe(error);
});
