import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { account, companyData, Refusal, type Sealed } from '@codase/contracts';
import type { World } from '@codase/testing';
import type { RequestLog } from '../request-log.ts';
import { callsOfPlugin } from './plugin-calls.ts';

type Asker = (isOver: () => boolean) => Promise<void>;

/** How many callers make each request at once, and their pause in between. */
const ASKERS = 1;
const PAUSE_MS = 150;
/** The pause between calls of a plugin, which may be called 60 times in a minute at most. @spec D2-8 */
const PLUGIN_PAUSE_MS = 5000;

/** Returns all kinds of requests to the planes: over HTTP through balancers, and over the bus by the client of companies. */
export async function askersOf(world: World, requests: RequestLog, units: readonly string[]): Promise<Asker[]> {
  const person = await world.signsUp({ type: 'person' });
  const codase = await world.internalService();
  const value = (await world.shop.sealsFor(world.shop, 'somebody@soak.example')) as Sealed;
  const queries: Record<string, () => Promise<unknown>> = {
    'token of the front door': () => world.shop.getsToken(),
    'profile of a region': () => person.asks(account.readProfile, {}),
    'whoami through the gateway': () => codase.request(companyData.whoami, {}),
    'value from the decryptor': async () => opened(await codase.open([{ value }])),
    'challenge of twofa': () =>
      answeredBy('twofa.not_enrolled', () =>
        codase.challenge({ share_code: person.share_code, context: 'a login of the soak', key: randomUUID() }),
      ),
  };
  const askersFor = ([kind, ask]: [string, () => Promise<unknown>], pauseMs: number) =>
    Array.from({ length: ASKERS }, () => async (isOver: () => boolean) => {
      for (; !isOver(); await pause(pauseMs)) await requests.untilAnswered(kind, ask);
    });
  const plugin = units.includes('forwarder') ? askersFor(['call of a plugin', await callsOfPlugin(world, person)], PLUGIN_PAUSE_MS) : [];
  return [...Object.entries(queries).flatMap((one) => askersFor(one, PAUSE_MS)), ...plugin];
}

function opened([item]: readonly object[]): void {
  if (!item || !('plaintext' in item)) throw new Error('the value was not opened');
}

async function answeredBy(key: Refusal['key'], ask: () => Promise<unknown>): Promise<unknown> {
  return ask().catch((error: unknown) => {
    if (!(error instanceof Refusal && error.key === key)) throw error;
  });
}
