import type { Party } from '../definition/definition.ts';
import { bindTargets, type Customer, type RunStart } from './bind-targets.ts';

const OWNER: Party = { key: 'landlord', label: '', type: 'owner' };
const TENANT: Party = { key: 'tenant', label: '', type: 'person' };
const AGENT: Party = { key: 'agent', label: '', type: 'company' };
const WITNESS: Party = { key: 'witness', label: '' };
const CUSTOMERS: Record<string, Customer> = {
  c_ana: { user_id: 'ana', type: 'person' },
  c_bo: { user_id: 'bo', type: 'person' },
  c_firm: { user_id: 'firm', type: 'company' },
};
const bind = (parties: Party[], start: Omit<RunStart, 'company_user_id'>) =>
  bindTargets(parties, { company_user_id: 'homes', ...start }, (id) => CUSTOMERS[id]);
const to = (connection_id: string) => ({ connection_id });

describe('binding the parties of a run @spec D2-4.1', () => {
  it.each<[what: string, parties: Party[], start: Omit<RunStart, 'company_user_id'>, bindings: object]>([
    [
      'the owner by itself, typed parties by their targets',
      [OWNER, TENANT, AGENT],
      { targets: { tenant: to('c_ana'), agent: to('c_firm') } },
      { landlord: 'homes', tenant: 'ana', agent: 'firm' },
    ],
    [
      'everybody else to the single target',
      [OWNER, TENANT, WITNESS],
      { target: to('c_ana') },
      { landlord: 'homes', tenant: 'ana', witness: 'ana' },
    ],
    [
      'an untyped party to whom the caller names',
      [OWNER, TENANT, WITNESS],
      { target: to('c_ana'), bindings: { witness: 'bo' } },
      { landlord: 'homes', tenant: 'ana', witness: 'bo' },
    ],
    ['an untyped party by a target', [OWNER, WITNESS], { targets: { witness: to('c_bo') } }, { landlord: 'homes', witness: 'bo' }],
    [
      'an untyped party to the company itself',
      [TENANT, WITNESS],
      { target: to('c_ana'), bindings: { witness: 'homes' } },
      { tenant: 'ana', witness: 'homes' },
    ],
    [
      'the owner when named as what it is',
      [OWNER, TENANT],
      { target: to('c_ana'), bindings: { landlord: 'homes', tenant: 'ana' } },
      { landlord: 'homes', tenant: 'ana' },
    ],
  ])('binds %s', (_what, parties, start, bindings) => {
    expect(bind(parties, start)).toEqual({ ok: true, bindings });
  });

  it.each<[what: string, parties: Party[], start: Omit<RunStart, 'company_user_id'>, key: string, message: RegExp]>([
    ['no target', [OWNER, TENANT], {}, 'flows.bindings_invalid', /tenant is not bound/],
    ['a party unbound', [OWNER, TENANT, AGENT], { targets: { tenant: to('c_ana') } }, 'flows.bindings_invalid', /agent is not bound/],
    ['an untyped party unbound', [OWNER, WITNESS], { bindings: {} }, 'flows.bindings_invalid', /witness is not bound/],
    [
      'a customer of another type',
      [OWNER, TENANT],
      { target: to('c_firm') },
      'flows.bindings_invalid',
      /must be a person, but its target is a company/,
    ],
    [
      'a typed party bound by its user alone',
      [OWNER, TENANT],
      { bindings: { tenant: 'ana' } },
      'flows.bindings_invalid',
      /tenant is not bound/,
    ],
    [
      'a user who is not the target',
      [OWNER, TENANT],
      { target: to('c_ana'), bindings: { tenant: 'bo' } },
      'flows.bindings_invalid',
      /different users/,
    ],
    ['the owner as a target', [OWNER, TENANT], { targets: { landlord: to('c_ana') } }, 'flows.bindings_invalid', /landlord, the owner/],
    [
      'another owner',
      [OWNER, TENANT],
      { target: to('c_ana'), bindings: { landlord: 'bo' } },
      'flows.bindings_invalid',
      /the owner, to homes/,
    ],
    ['a target for nobody', [OWNER, TENANT], { targets: { tenant: to('c_ana'), ghost: to('c_bo') } }, 'flows.bindings_invalid', /ghost/],
    ['a binding for nobody', [OWNER, TENANT], { target: to('c_ana'), bindings: { toString: 'bo' } }, 'flows.bindings_invalid', /toString/],
    ['both ways at once', [OWNER, TENANT], { target: to('c_ana'), targets: { tenant: to('c_ana') } }, 'flows.bindings_invalid', /either/],
    ['somebody not connected', [OWNER, TENANT], { target: to('c_none') }, 'flows.connection_not_found', /c_none/],
    ['the company alone', [OWNER], {}, 'flows.no_counterparty', /nobody besides/],
    ['the company twice', [OWNER, WITNESS], { bindings: { witness: 'homes' } }, 'flows.no_counterparty', /nobody besides/],
  ])('refuses to bind %s', (_what, parties, start, key, message) => {
    expect(bind(parties, start)).toEqual({ ok: false, fault: { key, message: expect.stringMatching(message) } });
  });
});
