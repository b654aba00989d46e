import { Refusal } from '@codase/contracts';
import { callFailure, isTransient } from './is-transient.ts';

const failure = (message: string, more: object = {}) => Object.assign(new Error(message), more);

describe('the classification of transient errors', () => {
  it.each([
    ['a service that cannot answer now', new Refusal('service.unavailable')],
    ['one that takes no writes now', new Refusal('db.writes_paused')],
    ['one that was asked too often', new Refusal('rate_limit.exceeded')],
    ['a key that nobody has mounted yet', new Refusal('decryptor.key_unknown')],
    ['a reader the decryptor was not told of', new Refusal('decryptor.caller_refused')],
    ['a client whose secret an operator has to renew', new Refusal('oauth.invalid_client')],
    ['a client whose credentials an operator has to add', new Refusal('gateway.client_unknown')],
    ['an account whose level an operator has to raise', new Refusal('account.level_required')],
    ['a line that is refused', failure('connect', { code: 'ECONNREFUSED' })],
    ['a Unix socket that is not there', failure('connect', { code: 'ENOENT', syscall: 'connect' })],
    ['a name that does not resolve', failure('lookup', { code: 'EAI_AGAIN' })],
    ['a line that broke, told by a library', failure('fetch failed', { cause: failure('read', { code: 'ECONNRESET' }) })],
    ['a Postgres that shuts down', failure('terminating connection', { code: '57P01' })],
    ['a Postgres without a place', failure('too many clients', { code: '53300' })],
    ['a Postgres that only reads after a failover', failure('read-only', { code: '25006' })],
    ['a connection that pg lost', failure('Connection terminated unexpectedly')],
    ['a connection on which pg got no answer', failure('Query read timeout')],
    ['a pool that waited too long', failure('timeout exceeded when trying to connect')],
    ['a time that ran out', failure('timeout', { name: 'TimeoutError' })],
  ])('includes %s', (_, error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    ['what the platform refuses', new Refusal('company_data.connection_not_found')],
    ['a person who does not want to be asked again soon', new Refusal('company_connections.request_rejected').after(60)],
    ['a person who has not answered other requests', new Refusal('company_connections.too_many_requests')],
    ['a person who has not answered other challenges', new Refusal('twofa.too_many_pending')],
    ['a value that does not open', new Refusal('decryptor.unreadable')],
    ['a mistake in a handler', new TypeError('x is not a function')],
    ['a row that breaks a constraint', failure('duplicate key', { code: '23505' })],
    ['a statement that is wrong', failure('no such column', { code: '42703' })],
    ['a call that its own caller gave up', failure('aborted', { name: 'AbortError' })],
    ['a file that is not there', failure('open', { code: 'ENOENT', syscall: 'open' })],
    ['a thing that is no error', 'oops'],
  ])('excludes %s', (_, error) => {
    expect(isTransient(error)).toBe(false);
  });
});

describe('the kind of a failed call', () => {
  it.each([
    ['ECONNREFUSED', 'unsent'],
    ['ECONNRESET', 'broken'],
    ['UND_ERR_HEADERS_TIMEOUT', 'late'],
    ['57P01', 'broken'],
    ['23505', undefined],
  ])('with the code %s is %s, also when a library wrapped the error', (code, kind) => {
    const error = failure('no answer', { code });

    expect([callFailure(error), callFailure(new Error('fetch failed', { cause: error }))]).toEqual([kind, kind]);
  });
});
