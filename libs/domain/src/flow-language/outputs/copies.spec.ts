import type { Signer } from '../definition/definition.ts';
import { rental } from '../rental-flow.check.ts';
import { copiesOf, participantsOf, primaryParty } from './copies.ts';
import { signingLine } from './signing-line.ts';

const parties = ['landlord', 'witness', 'tenant'];
const tenantFirst: Signer[] = [
  { party: 'tenant', action: 'sign' },
  { party: 'landlord', action: 'sign' },
];
const outputs = [
  { output_key: 'lease', name: 'Lease', signers: tenantFirst },
  { output_key: 'annex', name: 'Annex', signers: [{ party: 'landlord', action: 'accept' as const }] },
];
const line = signingLine(outputs, parties);
const copies = (...acted: number[]) => copiesOf(outputs, parties, line, new Set(acted));
const spoken = (...acted: number[]) =>
  copies(...acted).map(({ position, output_key, party_key, status }) => `${position} ${output_key} ${party_key} ${status}`);

describe('the copies of a run @spec D2-4.3.5 @spec D2-3', () => {
  it('exist for each output and party, signers in the order of the line and the others last', () => {
    expect(spoken()).toEqual([
      '1 lease tenant ready_to_sign',
      '2 annex landlord waiting',
      '3 lease landlord waiting',
      'null lease witness active',
      'null annex witness active',
      'null annex tenant active',
    ]);
  });

  it('become ready for signing or accepting one after the other', () => {
    expect(spoken(1).slice(0, 3)).toEqual(['1 lease tenant active', '2 annex landlord offering', '3 lease landlord waiting']);
    expect(spoken(1, 2).slice(0, 3)).toEqual(['1 lease tenant active', '2 annex landlord active', '3 lease landlord ready_to_sign']);
    expect(spoken(1, 2, 3).every((copy) => copy.endsWith('active'))).toBe(true);
  });

  it("contain the document's name and the party's action", () => {
    expect(copies()[1]).toEqual({
      output_key: 'annex',
      name: 'Annex',
      party_key: 'landlord',
      position: 2,
      action: 'accept',
      status: 'waiting',
    });
    expect(copies()[3]).toMatchObject({ action: null, position: null });
  });
});

describe('the participants of a run @spec D2-2.2', () => {
  it('are ordered by their first position, each with its copies in order', () => {
    const participants = participantsOf(copies().toReversed(), parties);
    expect(participants.map(({ party_key }) => party_key)).toEqual(['tenant', 'landlord', 'witness']);
    expect(participants[0]!.documents.map(({ output_key, position }) => [output_key, position])).toEqual([
      ['lease', 1],
      ['annex', null],
    ]);
    expect(participants[1]!.documents.map(({ output_key, position }) => [output_key, position])).toEqual([
      ['annex', 2],
      ['lease', 3],
    ]);
  });

  it('have the first party that is not the owner as primary counterparty', () => {
    expect(primaryParty(rental().parties)?.key).toBe('tenant');
    expect(
      primaryParty([
        { key: 'a', label: '' },
        { key: 'b', label: '', type: 'owner' },
      ])?.key,
    ).toBe('a');
    expect(primaryParty([{ key: 'b', label: '', type: 'owner' }])).toBeUndefined();
  });

  it('are listed before any document exists', () => {
    expect(participantsOf([], parties)).toEqual(parties.map((party_key) => ({ party_key, documents: [] })));
  });
});
