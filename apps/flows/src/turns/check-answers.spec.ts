import { checkAnswers } from './check-answers.ts';
import { stepOf } from './order-flow.check.ts';

const check = (given: Record<string, unknown>, quantity = '3', from_private: string[] = []) =>
  checkAnswers(stepOf('price_check', { quantity }), given, new Set(from_private));
const faults = (...given: Parameters<typeof check>) => {
  const checked = check(...given);
  return 'faults' in checked ? checked.faults.map(({ slug, fault }) => `${slug}: ${fault}`) : [];
};

describe('what a service answers @spec D2-4.2', () => {
  it('is ready to be sealed, with defaults filled in and the edge chosen', () => {
    expect(check({ price: 12.5 })).toEqual({
      turn: {
        ready: true,
        answers: [
          { slug: 'price', plaintext: '12.5', is_file: false, source_private: false },
          { slug: 'valid_from', plaintext: '2026-03-02', is_file: false, source_private: false },
        ],
        onward: { next_node: 'agree' },
        signal: 'next node',
      },
    });
  });

  it.each([
    [{}, 'price: price is required'],
    [{ price: 0 }, 'price: price must be at least 1'],
    [{ price: 400 }, 'next: no edge of the step matches with these answers'],
    [{ price: 5, prize: 1 }, 'prize: prize is no question of the step price_check'],
    [{ price: 5, quantity: 9 }, 'quantity: quantity is no question of the step price_check'],
    [{ price: 5, discount: 1 }, 'discount: discount is not asked with these answers'],
    [{ price: 5, toString: 'x' }, 'toString: toString is no question of the step price_check'],
  ])('is refused by name: %j', (given, fault) => {
    expect(faults(given)).toEqual([fault]);
  });

  it('may answer a question that other answers show', () => {
    expect(faults({ price: 5, discount: 1 }, '12')).toEqual([]);
  });

  it('is private where its source is @spec D2-2.3', () => {
    const checked = check({ price: 5 }, '3', ['price']);
    expect('turn' in checked && checked.turn.answers.map(({ slug, source_private }) => [slug, source_private])).toEqual([
      ['price', true],
      ['valid_from', false],
    ]);
  });
});
