import { ownPauses } from './pauses.ts';
import { nodes, parse } from './syntax.ts';

const found = (source: string, file = 'apps/gateway/src/tokens/tokens.service.ts') => ownPauses(file, nodes(parse(source, file)));
const TIMER = "import { setTimeout as sleep } from 'node:timers/promises';\n";
const LOOP = `${TIMER}export async function f() { for (;;) { await work().catch(() => sleep(100)); } }`;

describe('a hand-written pause', () => {
  it.each([
    ['a timer in a loop', LOOP, 'waits for a timer in a loop of its own'],
    ['a timer in the head of a loop', `${TIMER}for (let n = 0; n < 3; await sleep(20)) n++;`, 'waits for a timer in a loop of its own'],
    ['a timer in a while', `${TIMER}while (!done()) await sleep(20);`, 'waits for a timer in a loop of its own'],
    ['a backoff', 'export const pauseMs = (failures: number) => 100 * 2 ** failures;', 'doubles something again and again'],
    ['an interval', 'setInterval(() => look(), 1000);', 'sets an interval'],
  ])('is refused: %s', (_, source, what) => {
    expect(found(source)).toEqual([expect.stringContaining(`tokens.service.ts ${what}`)]);
  });

  it.each([
    ['a pause outside a loop', `${TIMER}export const f = async () => { await sleep(100); for (const x of xs) g(x); };`],
    ['a loop without a pause', `${TIMER}for (const x of xs) sleepers.push(x);`],
    ['a size', 'export const BYTES = 4 * 1024 ** 3 + 2 ** 31;'],
  ])('is not reported for %s', (_, source) => {
    expect(found(source)).toEqual([]);
  });

  it('is allowed in the resilience library, in tests, and in files listed with a reason', () => {
    expect(found(LOOP, 'libs/runtime/src/resilience/retry.ts')).toEqual([]);
    expect(found(LOOP, 'apps/gateway/src/tokens/tokens.spec.ts')).toEqual([]);
    expect(found(LOOP, 'dev/servers/src/nats.ts')).toEqual([]);
    expect(found(LOOP, 'libs/runtime/src/bus/bus.ts')).toHaveLength(1);
  });
});
