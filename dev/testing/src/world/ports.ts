import { freePort } from '@codase/servers';
import { UNIT_NAMES, type Ports, type UnitName } from '@codase/stack';

export async function worldPorts(): Promise<Ports> {
  const ops: Partial<Record<UnitName, number>> = {};
  for (const name of UNIT_NAMES) ops[name] = await freePort();
  return {
    serving: {
      'front-door': await freePort(),
      'region-eu': await freePort(),
      'region-us': await freePort(),
      'feed-consumer': await freePort(),
      gateway: await freePort(),
      forwarder: await freePort(),
    },
    traces: 0,
    board: 0,
    postgres: 0,
    nats: 0,
    example: 0,
    ops: ops as Record<UnitName, number>,
  };
}
