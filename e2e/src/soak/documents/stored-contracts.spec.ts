import { countSeals, type StoredContract } from './stored-contracts.ts';

const CLEAN = { sealsWithoutAct: 0, actsWithoutSeal: 0, doubledActs: 0 };
const unsigned: StoredContract = { document_id: 'doc_1', is_sealed: false, acts: 0, readers: ['recipient'] };
const signed: StoredContract = { document_id: 'doc_2', is_sealed: true, acts: 1, readers: ['company', 'recipient'] };

describe('counting seals and acts @spec D1-2.12.5', () => {
  it('finds nothing when each act has its seal, and each seal its act', () => {
    expect(countSeals([unsigned, signed])).toEqual(CLEAN);
  });

  it.each([
    ['without the time of the seal', { is_sealed: false }],
    ["without the company's copy", { readers: ['recipient'] }],
    ["without the recipient's copy", { readers: ['company'] }],
  ])('finds an act %s', (_, part) => {
    expect(countSeals([{ ...signed, ...part }])).toEqual({ ...CLEAN, actsWithoutSeal: 1 });
  });

  it.each([
    ['by its time', { is_sealed: true }],
    ['by the copy of the company', { readers: ['company', 'recipient'] }],
  ])('finds a seal without an act %s', (_, part) => {
    expect(countSeals([{ ...unsigned, ...part }])).toEqual({ ...CLEAN, sealsWithoutAct: 1 });
  });

  it('finds a second signature, or a contract that is in two regions, as a doubled act', () => {
    expect(countSeals([{ ...signed, acts: 2 }])).toEqual({ ...CLEAN, doubledActs: 1 });
    expect(countSeals([signed, signed])).toEqual({ ...CLEAN, doubledActs: 1 });
  });
});
