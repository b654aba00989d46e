import { FieldChanges } from './field-changes.service.ts';

describe('a change of a field with slots in other regions', () => {
  /** Makes a change while the companies of the customer live in one set of regions when it begins, and in another when it ends. */
  const makes = (before: string[], after: string[]) => {
    const homes = [before, after];
    const router = { othersWith: async () => homes.shift(), ask: async () => ({ slots: [] }) };
    const lease = { at: new Date(), keep: async () => {}, transaction: async () => 'changed' };
    const writes = {
      transaction: async () => undefined,
      leased: (_user: string, _begin: unknown, work: (held: typeof lease, companies: string[]) => unknown) => work(lease, ['usr_company']),
    };
    const outbox = { deliverAll: async () => {}, deliver: async () => {} };
    const changes = new FieldChanges(writes as never, router as never, {} as never, outbox as never);
    return changes.make({ user_id: 'usr_ana', field: 'email', operation: 'forget', write: async () => ({ kept: null, content: {} }) });
  };

  it('is made when no company moves', async () => {
    expect(await makes(['us'], ['us'])).toBe('changed');
  });

  it('is made when a company has come to the home region of the customer', async () => {
    expect(await makes(['us'], [])).toBe('changed');
  });

  it('is refused when a company has gone to a region that was not asked @gap D1-5.6', async () => {
    await expect(makes(['us'], ['asia'])).rejects.toMatchObject({ key: 'db.writes_paused' });
  });
});
