import { Refusal } from './refusal.ts';

describe('a refusal', () => {
  it('keeps its key, status, extras and message through JSON', () => {
    const thrown = new Refusal('flows.tag_values_stale', { stale: ['company'] });
    const rebuilt = Refusal.fromBody(JSON.parse(JSON.stringify(thrown.toBody())), thrown.status);

    expect(rebuilt).toMatchObject({ key: 'flows.tag_values_stale', status: 409, extras: { stale: ['company'] }, message: thrown.message });
  });

  it('accepts only the two declared statuses of a key that has two @spec D1-7', () => {
    const refusal = new Refusal('company_connections.persons_only');
    expect(refusal.status).toBe(403);
    expect(refusal.withStatus(400).status).toBe(400);
    expect(() => refusal.withStatus(404)).toThrow('never answered with 404');

    expect(Refusal.fromBody(refusal.toBody(), 400)?.status).toBe(400);
    expect(Refusal.fromBody(refusal.toBody())?.status).toBe(403);
    expect(Refusal.fromBody(refusal.toBody(), 502)?.status).toBe(403);
  });

  it("uses OAuth's error code in the body of a token endpoint error", () => {
    expect(new Refusal('oauth.invalid_grant').toBody()).toMatchObject({ error: 'invalid_grant', error_key: 'oauth.invalid_grant' });
  });

  it('is final and keeps the unknown key and message when it comes from a newer release', () => {
    const body = { error: 'The flow is archived', error_key: 'flows.archived' };

    expect(Refusal.ofNewerRelease(body, 409)).toMatchObject({
      key: 'gateway.refusal_unknown',
      message: 'flows.archived: The flow is archived',
    });
    for (const status of [200, 408, 429, 500, 503, NaN]) expect(Refusal.ofNewerRelease(body, status)).toBeUndefined();
    for (const other of [null, 'text', { error: 'forbidden' }]) expect(Refusal.ofNewerRelease(other, 403)).toBeUndefined();
  });

  it.each([[null], ['text'], [{}], [{ error: 'x', error_key: 'no.such_key' }]])('cannot be rebuilt from %j', (body) => {
    expect(Refusal.fromBody(body)).toBeUndefined();
  });
});
