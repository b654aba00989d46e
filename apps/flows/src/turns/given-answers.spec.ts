import type { Kinds } from '@codase/domain/flow-language';
import { takeFiles } from './given-answers.ts';

describe('file answers @spec D2-4.2', () => {
  const kinds: Kinds = new Map([
    ['proof', 'binary'],
    ['price', 'number'],
  ]);
  const take = (given: Record<string, unknown>) => takeFiles(kinds, given, { users: ['usr_acme', 'usr_ana'], company_user_id: 'usr_acme' });

  it("are separated from the other answers, and the company's copy takes their position", () => {
    const files = { usr_acme: 'file_1', usr_ana: 'file_2' };
    expect(take({ price: 5, proof: { files } })).toEqual({
      given: { price: 5, proof: { _enc_file: 'file_1' } },
      files: new Map([['proof', files]]),
    });
    expect(take({ proof: '' })).toMatchObject({ given: { proof: '' } });
  });

  it.each([
    [{ files: { usr_acme: 'file_1' } }],
    [{ files: { usr_acme: 'file_1', usr_ben: 'file_2' } }],
    [{ files: { usr_acme: 'file_1', usr_ana: 'file_2', usr_ben: 'file_3' } }],
    [{ _enc_file: 'file_1' }],
    ['a text'],
  ])('are refused without exactly one copy for each party: %j', (proof) => {
    expect(take({ proof })).toMatchObject({ faults: [{ slug: 'proof' }] });
  });
});
