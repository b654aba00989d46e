import type { DataSource, EntityManager } from 'typeorm';
import type { Audit } from '../../foundation/audit/index.ts';
import type { FrontDoorRequests, Home } from '../../foundation/regions/index.ts';
import { ServiceTransitions } from './service-transitions.service.ts';

const OWN = { company_user_id: 'usr_acme', service_id: 'svc_1' };

describe('deletion of a service with many customers and events', () => {
  it('notifies customers and deletes events in batches, each in a transaction, and deletes the service last', async () => {
    const done: string[] = [];
    const query = async (text: string) => {
      if (/delete from service\b/.test(text)) done.push('removed');
      if (/from webhook\b/.test(text)) return { records: [] };
      if (/limit/.test(text) && done.push('forgot')) return { records: [{ count: waiting.shift() ?? 0 }] };
      return { records: [{ ...OWN, transition: 'deleting' }] };
    };
    const tx = { queryRunner: { query } } as unknown as EntityManager;
    const home = {
      write: async <T>(_: string, work: (tx: EntityManager) => Promise<T>) => {
        done.push('transaction');
        return work(tx);
      },
    } as unknown as Home;
    const left = [500, 500, 3];
    const waiting = [5000, 7];
    const notice = {
      moreIsRequired: async () => {},
      serviceEnds: async () => {
        done.push('told');
        return left.shift() ?? 0;
      },
    };
    const transitions = new ServiceTransitions(
      {} as DataSource,
      home,
      { request: async () => ({}) } as unknown as FrontDoorRequests,
      { now: () => new Date('2026-11-16T12:00:00Z') },
      { record: async () => {} } as unknown as Audit,
      [],
      [],
      [notice],
    );

    await transitions.delete(OWN);

    const batch = ['transaction', 'told'];
    const slice = ['transaction', 'forgot'];
    expect(done).toEqual(['transaction', ...batch, ...batch, ...batch, ...batch, ...slice, ...slice, ...slice, 'transaction', 'removed']);
  });
});
