import { inTempTree } from '@codase/testing/temp-tree';
import { readExchanges } from './exchanges.ts';
import { matrix, type Contract } from './matrix.ts';
import { printMatrix } from './print.ts';

const whoami: Contract = {
  name: 'whoami',
  method: 'GET',
  path: '/api/company-data/whoami',
  status: 200,
  refusals: ['auth.token_invalid', 'region.rebase_required'],
};
const health: Contract = { name: 'health', method: 'GET', path: '/api/health', status: 200, refusals: [] };
const WHOAMI_TESTED = [
  { endpoint: 'whoami', status: 200 },
  { endpoint: 'whoami', status: 401, error_key: 'auth.token_invalid' },
  { endpoint: 'whoami', status: 421, error_key: 'region.rebase_required' },
];

const listing = (routes: string[] = [], answers: Record<string, string[]> = {}) => ({ routes, answers });

describe('the matrix of endpoints and answers', () => {
  it('is complete when tests received every answer of every served endpoint', () => {
    const { rows, problems } = matrix([whoami, health], new Set(['whoami']), listing(['GET /api/health']), WHOAMI_TESTED);

    expect(problems).toEqual([]);
    expect(rows.map(({ endpoint }) => endpoint)).toEqual(['whoami']);
    expect(rows[0]!.cells.every(({ tested }) => tested)).toBe(true);
  });

  it('reports an answer that no test received as a hole', () => {
    const result = matrix([whoami], new Set(['whoami']), listing(), WHOAMI_TESTED.slice(0, 2));

    expect(result.problems).toEqual([expect.stringContaining('HOLE: no test had the answer region.rebase_required of whoami')]);
    expect(printMatrix(result)).toContain('200 ✓  auth.token_invalid ✓  region.rebase_required HOLE');
  });

  it('accepts a listed answer as not built yet, only until a test receives it', () => {
    const later = listing([], { whoami: ['region.rebase_required'] });

    expect(matrix([whoami], new Set(['whoami']), later, WHOAMI_TESTED.slice(0, 2)).problems).toEqual([]);
    expect(matrix([whoami], new Set(['whoami']), later, WHOAMI_TESTED).problems).toEqual([expect.stringContaining('cannot give yet')]);
  });

  it('reports a listed answer that no contract declares', () => {
    const { problems } = matrix([whoami], new Set(['whoami']), listing([], { whoami: ['no.such_key'], gone: ['200'] }), WHOAMI_TESTED);

    expect(problems).toEqual([expect.stringContaining('no.such_key of whoami'), expect.stringContaining('200 of gone')]);
  });

  it('does not count the answer of another endpoint as tested', () => {
    const { problems } = matrix([whoami, health], new Set(['whoami', 'health']), listing(), WHOAMI_TESTED);

    expect(problems).toEqual([expect.stringContaining('the answer 200 of health')]);
  });

  it('reports an endpoint that is neither served nor listed', () => {
    expect(matrix([health], new Set(), listing(), []).problems).toEqual([
      expect.stringMatching(/^health has a contract, but no role serves it/),
    ]);
  });

  it('reports an endpoint that is both served and listed', () => {
    const { problems } = matrix([health], new Set(['health']), listing(['GET /api/health']), [{ endpoint: 'health', status: 200 }]);

    expect(problems).toEqual([expect.stringMatching(/^health is served and stands on/)]);
  });

  it('prints an answer that no contract declares', () => {
    const result = matrix([health], new Set(['health']), listing(['GET /api/regions']), [
      { endpoint: 'health', status: 200 },
      { endpoint: 'health', status: 500 },
    ]);

    expect(result.problems).toEqual([]);
    expect(printMatrix(result)).toContain('health: 500');
    expect(printMatrix(result)).toContain('1 endpoints served, 1 of 1 answers tested, 0 to come, 1 routes not built');
  });
});

describe('the log of exchanges', () => {
  it('is merged from the files of every process, without duplicates', async () => {
    const line = '{"endpoint":"health","status":200}\n';
    await inTempTree(
      { '1.jsonl': line + line, '2.jsonl': `${line}{"endpoint":"whoami","status":401,"error_key":"auth.token_invalid"}` },
      async (dir) => {
        expect(await readExchanges(dir)).toEqual([
          { endpoint: 'health', status: 200 },
          { endpoint: 'whoami', status: 401, error_key: 'auth.token_invalid' },
        ]);
      },
    );
  });

  it('reports the file and the line of an invalid entry', async () => {
    await inTempTree({ '1.jsonl': '{"endpoint":"health","status":200}\n{"endpoint":' }, async (dir) => {
      await expect(readExchanges(dir)).rejects.toThrow(/^1\.jsonl:2 in the log of exchanges is not an exchange/);
    });
  });
});
