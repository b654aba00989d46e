import { checkAnswers } from './check-answers.ts';
import { stepOf } from './order-flow.check.ts';

const check = (given: Record<string, unknown>, quantity = '3', from_private: string[] = []) =>
  checkAnswers(stepOf('price_check', { quantity }), given, new Set(from_private));
const faults = (...given: Parameters<typeof check>) => {
  const checked = check(...given);
  return 'faults' in checked ? checked.faults.map(({ slug, fault }) => `${slug}: ${fault}`) : [];
};

describe('answers of a service @spec D2-4.2', () => {
  it('are returned as plaintexts to seal, with defaults filled in and the next node chosen', () => {
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
  ])('are refused with a fault that names the question: %j', (given, fault) => {
    expect(faults(given)).toEqual([fault]);
  });

  it('may include a question that other answers make visible', () => {
    expect(faults({ price: 5, discount: 1 }, '12')).toEqual([]);
  });

  it('are marked private when their source is private @spec D2-2.3', () => {
    const checked = check({ price: 5 }, '3', ['price']);
    expect('turn' in checked && checked.turn.answers.map(({ slug, source_private }) => [slug, source_private])).toEqual([
      ['price', true],
      ['valid_from', false],
    ]);
  });
});
