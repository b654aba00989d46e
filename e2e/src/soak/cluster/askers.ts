import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { account, companyData, OPEN_VALUE, operation, RAISE_CHALLENGE, Refusal } from '@cds/contracts';
import { DEMO } from '@cds/stack';
import type { World } from '@cds/testing';
import type { RequestLog } from '../request-log.ts';

/** Asks again and again until it is over. */
type Asker = (isOver: () => boolean) => Promise<void>;

/** So many ask each thing at once, and pause in between. */
const ASKERS = 2;
const PAUSE_MS = 100;

/** Everything that callers ask of the planes, each by a way of its own: over HTTP through balancers, and over the bus. */
export async function askersOf(world: World, requests: RequestLog, answerMs: number): Promise<Asker[]> {
  const person = await world.signsUp({ type: 'person' });
  const bus = await world.busAs(DEMO.consumer);
  const service = DEMO.service;
  const value = await world.shop.sealsFor(world.shop, 'somebody@soak.example');
  const timeout = { timeout: answerMs };
  const asked: Record<string, () => Promise<unknown>> = {
    'token of the front door': () => world.shop.getsToken(),
    'profile of a region': () => person.asks(account.readProfile, {}),
    'whoami through the gateway': () => bus.request(operation(companyData.whoami), { service }, {}, timeout),
    'value from the decryptor': () => bus.request(OPEN_VALUE, { service }, { value }, timeout),
    'challenge of twofa': () =>
      answeredBy('twofa.not_enrolled', () =>
        bus.request(
          RAISE_CHALLENGE,
          { service },
          { share_code: person.share_code, context: 'a login of the soak', idempotency_key: randomUUID() },
          timeout,
        ),
      ),
  };
  return Object.entries(asked).flatMap(([kind, ask]) =>
    Array.from({ length: ASKERS }, () => async (isOver: () => boolean) => {
      for (; !isOver(); await pause(PAUSE_MS)) await requests.untilAnswered(kind, ask);
    }),
  );
}

/** A refusal that the asker expects is an answer. */
async function answeredBy(key: Refusal['key'], ask: () => Promise<unknown>): Promise<unknown> {
  return ask().catch((error: unknown) => {
    if (!(error instanceof Refusal && error.key === key)) throw error;
  });
}
