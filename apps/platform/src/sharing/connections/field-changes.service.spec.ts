import { FieldChanges } from './field-changes.service.ts';

describe('field change with slots in other regions', () => {
  /** Makes a change while the companies of the customer live in one set of regions when it begins, and in another when it ends. */
  const makes = (before: string[], after: string[]) => {
    const homes = [before, after];
    const peers = { othersWith: async () => homes.shift(), call: async () => ({ slots: [] }) };
    const lease = { at: new Date(), keep: async () => {}, transaction: async () => 'changed' };
    const writes = {
      transaction: async () => undefined,
      leased: (_user: string, _begin: unknown, work: (leased: typeof lease, companies: string[]) => unknown) =>
        work(lease, ['usr_company']),
    };
    const outbox = { deliverAll: async () => {}, deliver: async () => {} };
    const changes = new FieldChanges(writes as never, peers as never, {} as never, outbox as never);
    return changes.make({ user_id: 'usr_ana', field: 'email', operation: 'forget', write: async () => ({ kept: null, content: {} }) });
  };

  it('succeeds when no company moves', async () => {
    expect(await makes(['us'], ['us'])).toBe('changed');
  });

  it("succeeds when a company has moved to the customer's home region meanwhile", async () => {
    expect(await makes(['us'], [])).toBe('changed');
  });

  it('is refused when a company has moved to a region that was not called @gap D1-5.6', async () => {
    await expect(makes(['us'], ['asia'])).rejects.toMatchObject({ key: 'db.writes_paused' });
  });
});
