import { balancedOf, replicasOf } from './replicas.ts';
import type { Unit } from './unit.ts';

const UNIT: Unit = { name: 'gateway', entry: 'gateway.mjs', opsPort: 4055, port: 4004, env: { OPS_PORT: '4055', PORT: '4004', X: 'y' } };

describe('the replicas of a unit', () => {
  it('have their own names and ports, and share everything else', () => {
    expect(replicasOf(UNIT, 2).map(({ name, port, opsPort, env }) => ({ name, port, opsPort, env }))).toEqual([
      { name: 'gateway', port: 4104, opsPort: 4055, env: { OPS_PORT: '4055', PORT: '4104', X: 'y' } },
      { name: 'gateway-2', port: 4204, opsPort: 4155, env: { OPS_PORT: '4155', PORT: '4204', X: 'y' } },
    ]);
  });

  it('get their own name in REPLICA when the unit has this variable', () => {
    const named = replicasOf({ ...UNIT, env: { REPLICA: 'gateway-1' } }, 2);
    expect(named.map(({ env }) => env['REPLICA'])).toEqual(['gateway-1', 'gateway-2']);
  });

  it.each([
    ['one is wanted', UNIT, 1],
    ['it is the example, which the demo watches', { ...UNIT, shown: true }, 3],
  ])('are only the unit itself when %s', (_, unit, count) => expect(replicasOf(unit, count)).toEqual([unit]));

  it('are the targets of the balancer on the public port', () => {
    const targets = [
      { port: 4104, opsPort: 4055 },
      { port: 4204, opsPort: 4155 },
    ];
    expect(balancedOf({ port: 4004, opsPort: 4055 }, 2)).toEqual({ port: 4004, targets });
  });
});
