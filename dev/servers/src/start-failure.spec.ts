import { StartFailure } from './start-failure.ts';

const where = { server: 'Postgres', dir: '/data/pg', port: 5433 } as const;

describe('the error of a server that did not start', () => {
  it.each([
    ['could not bind IPv4 address "127.0.0.1": Address already in use', 'port_taken', 'port 5433 is taken'],
    ['listen tcp 127.0.0.1:4222: bind: address already in use', 'port_taken', 'choose another port'],
    ['PANIC: could not write to file "pg_wal/x": No space left on device', 'disk_full', 'Free some space'],
    ['error while loading shared libraries: libpq.so.5: cannot open', 'wrong_libraries', 'Set DATABASE_URL'],
    ['data directory "/data/pg/data" has wrong ownership', 'not_owner', 'Run as the user who made them'],
    ['database files are incompatible with server', 'other_version', 'made by another version'],
    ['PANIC: could not locate a valid checkpoint record', 'damaged', 'the data in /data/pg is damaged'],
    ['pre-existing shared memory block (key 1, ID 2) is still in use', 'still_ending', 'an earlier one still runs in /data/pg'],
  ])('names the reason for the log line: %s', (line, reason, mend) => {
    const failure = new StartFailure(where, `LOG: starting\n${line}`, 'exit code 1');

    expect(failure.reason).toBe(reason);
    expect(failure.message).toContain(mend);
    expect(failure.message).toMatch(/^Postgres did not start \(exit code 1\): /);
    expect(failure.message.endsWith(`The last lines of its log:\n  LOG: starting\n  ${line}`)).toBe(true);
  });

  it('points to the log when the reason is not known', () => {
    const failure = new StartFailure(where, '', 'ended by SIGKILL');

    expect(failure.message).toBe('Postgres did not start (ended by SIGKILL): see its log; its folder is /data/pg.');
  });
});
