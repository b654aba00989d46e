import { checkCaller, Callers, limitOf } from './callers.ts';

const CALLERS = Callers.parse({ backend: { values: ['shop'] }, feed: { payloads: ['shop', 'desk'] }, login: { account: true } });

describe('checkCaller', () => {
  it.each([
    { by: 'backend', service: 'shop', what: 'values' },
    { by: 'feed', service: 'desk', what: 'payloads' },
    { by: 'login', service: 'account', what: 'account' },
  ] as const)('allows $by the $what of $service', (wanted) => {
    expect(() => checkCaller(CALLERS, wanted)).not.toThrow();
  });

  it.each([
    { by: 'backend', service: 'desk', what: 'values' },
    { by: 'backend', service: 'shop', what: 'payloads' },
    { by: 'feed', service: 'shop', what: 'values' },
    { by: 'stranger', service: 'shop', what: 'values' },
    { by: 'constructor', service: 'shop', what: 'values' },
    { by: undefined, service: 'shop', what: 'values' },
    { by: 'login', service: 'shop', what: 'values' },
    { by: 'login', service: 'account', what: 'values' },
    { by: 'login', service: 'account', what: 'payloads' },
    { by: 'backend', service: 'account', what: 'account' },
    { by: 'feed', service: 'account', what: 'account' },
    { by: 'constructor', service: 'account', what: 'account' },
    { by: undefined, service: 'account', what: 'account' },
  ] as const)('refuses $by the $what of $service', (wanted) => {
    expect(() => checkCaller(CALLERS, wanted)).toThrow(expect.objectContaining({ key: 'decryptor.caller_refused' }));
  });
});

describe('limitOf', () => {
  it('limits flows also where its rights name no limit, and others where they do', () => {
    const callers = Callers.parse({
      flows: { values: ['shop'] },
      backend: { values: ['shop'] },
      desk: { values: ['desk'], per_minute: 300 },
    });

    expect(['flows', 'backend', 'desk', 'stranger'].map((caller) => limitOf(callers, caller))).toEqual([10_000, undefined, 300, undefined]);
    expect(limitOf(Callers.parse({ flows: { values: ['shop'], per_minute: 50_000 } }), 'flows')).toBe(50_000);
  });
});
