import { loadIdentity, type StoredIdentity } from '@codase/pdf';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlatformSeal } from './platform-seal.service.ts';
import type { SealIdentities } from './seal-identities.service.ts';
import { SealingState } from './sealing-state.ts';

const FIXTURES = 'libs/pdf/test/fixtures';
const PDF = readFileSync(`${FIXTURES}/producers/reportlab.pdf`);
const IDENTITY = loadIdentity(JSON.parse(readFileSync(`${FIXTURES}/identity.json`, 'utf8')) as StoredIdentity);
const NOW = new Date('2026-11-16T12:00:00Z');
const PAGE = { document_name: 'A lease', acts: [] };

describe('PlatformSeal', () => {
  let authority: Server;
  let seals: PlatformSeal;
  const state = new SealingState(false);
  /** A response for each seal that has reached the timestamp authority. The test answers them when it wants. */
  const arrived: ServerResponse[] = [];
  const arrivals = async (count: number) => {
    while (arrived.length < count) await once(authority, 'request');
  };
  beforeAll(async () => {
    authority = createServer((_, response) => void arrived.push(response)).listen(0, '127.0.0.1');
    await once(authority, 'listening');
    const timestampAuthority = { url: `http://127.0.0.1:${(authority.address() as AddressInfo).port}/` };
    seals = new PlatformSeal(
      { current: async () => IDENTITY } as unknown as SealIdentities,
      { name: 'platform.example', pkcs12: undefined, timestampAuthority, check: 'never' },
      { now: () => NOW },
      state,
    );
  });
  afterAll(() => {
    seals?.onApplicationShutdown();
    authority?.closeAllConnections();
    authority?.close();
  });

  it('runs one seal of a company at a time, refuses those over its queue, and does not delay other companies', async () => {
    const seal = (company: string) => seals.seal(company, PDF, PAGE, NOW).catch(() => company);
    const acme = [seal('acme'), seal('acme'), seal('acme')];
    await arrivals(1);
    const others = Array.from({ length: 16 }, () => seals.seal('acme', PDF, PAGE, NOW).catch((error: unknown) => error));
    expect(await Promise.race(others)).toEqual(new Error('No permit is free: this owner has all it may have'));

    const globex = seal('globex');
    await arrivals(2);
    arrived[1]!.writeHead(503).end();

    expect(await Promise.race([globex, ...acme])).toBe('globex');
    for (const nth of [0, 2, 3]) {
      await arrivals(nth + 1);
      arrived[nth]!.writeHead(503).end();
    }
    expect(await Promise.all(acme)).toEqual(['acme', 'acme', 'acme']);
    expect(state.finding).toEqual({ note: 'nothing can be signed: The timestamp authority answers 503.' });
  });
});
