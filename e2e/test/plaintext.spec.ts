import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, PARKED } from '@codase/contracts';
import { many, openDatabase, sql } from '@codase/runtime/db';
import { eventually, everyRow, everyStoredMessage, Marks, writtenSince } from '@codase/testing';
import { DATABASES, UNIT_NAMES } from '@codase/stack';
import { processTreeOf } from '@codase/stack/processes';
import { BROADCAST_STEM, CONTEXT_STEM, MarkedStory, STEM } from './marked-story.ts';

const FOUND = ['the clear text'];
const SAID_IN_PLATFORM = 'what was said in the platform';
const SAID_IN_SUITE = 'what was said in the suite, the way back to the asker and answers of steps aside';

/** Replies to callers, flows among them, and the answers of the company's own service in a step, until they are sealed. @spec D2-4.2 */
const ANSWERED = /^(_R_\.|_INBOX_flows\.|codase\.flows\.v1\.\w+\.(answer|plugin)$)/;

describe('the plaintext of what people share @spec D1-1 @spec D1-2.3', () => {
  const marks = new Marks({ 'the clear text': STEM });
  const startedAt = new Date();
  let story: MarkedStory;
  beforeAll(async () => {
    story = await MarkedStory.open();
    await story.happens();
  });
  afterAll(() => story?.close());

  it("is in the decryptor's answers to its callers, for every value that was shared", () => {
    expect(story.opened.length).toBeGreaterThanOrEqual(story.edited);
    expect(story.opened.every((text) => marks.foundIn(text).length === 1)).toBe(true);
    expect(marks.foundIn(story.suite.text())).toEqual(FOUND);
  });

  const each = <T extends string>(names: readonly T[], what: string, read: (name: T) => Promise<string>) =>
    Object.fromEntries(names.map((name) => [`${what} ${name}`, () => read(name)]));

  /** Every place where a service could leave something behind, read as it is now. */
  const now: Record<string, () => Promise<string>> = {
    ...each(UNIT_NAMES, 'the log of', async (unit) => story.world.logOf(unit)),
    ...each(UNIT_NAMES, 'the metrics of', async (unit) => (await fetch(`${story.world.opsUrl(unit)}/metrics`)).text()),
    ...each(DATABASES, 'the database', (name) => everyRow(story.world.databaseUrl(name))),
    ...each(['platform', 'suite'], 'the streams and buckets of the', async (plane) =>
      everyStoredMessage(await story.world.operator(plane)),
    ),
    [SAID_IN_PLATFORM]: async () => story.platform.text(),
    [SAID_IN_SUITE]: async () => story.suite.text({ except: ANSWERED }),
    'any span': async () => JSON.stringify(story.world.traces!.all),
    'the files of the bus': () => everyFile(story.world.busFolder),
    'the deliveries of a webhook': async () =>
      story.receiver.deliveries.map(({ body, headers }) => `${JSON.stringify(headers)} ${body.toString('latin1')}`).join('\n'),
    'the log of the service that handles the events': async () => story.lines.join(''),
    'the log of the feed consumer that drained': async () => story.earlier.join(''),
    'temporary files': () => everyFile(story.temporaryFolder),
    'the arguments and settings of the processes, those that read PDFs among them': async () => everyArgument(),
  };
  /** The same places after the story, each read once. */
  const stores = Object.fromEntries(Object.entries(now).map(([store, read]) => [store, once(read)]));

  it.each(Object.keys(stores))('is not in %s', async (store) => {
    expect(marks.foundIn(await stores[store]!())).toEqual([]);
  });

  const contexts = new Marks({ 'the context': CONTEXT_STEM });
  /** The requests of logins carry the text of the card on their way to the platform, and nothing stores them. */
  const loginStores: Record<string, () => Promise<string>> = {
    ...stores,
    [SAID_IN_SUITE]: async () =>
      story.suite.text({ except: /^(_R_\.|codase\.twofa\.v1\.\w+\.challenge$|codase\.gateway\.v1\.\w+\.raise_challenge$)/ }),
  };

  it.each(Object.keys(loginStores))("the text of a login's card is not in %s once the login has ended @spec D1-3.1", async (store) => {
    expect(contexts.foundIn(await loginStores[store]!())).toEqual([]);
  });

  it("the text of a login's card is only in the row of its challenge while the login waits", () => {
    const holding = [...story.whilePending].flatMap(([name, rows]) =>
      rows
        .split('\n')
        .flatMap((row) => (contexts.foundIn(row).length > 0 ? [`${name} ${row.startsWith('(chal_') ? 'challenge' : row}`] : [])),
    );

    expect(new Set(holding)).toEqual(new Set(['region_eu challenge']));
  });

  /** Two digits occur everywhere by accident, so the test looks for the members that carry them. */
  const DIGITS = /digits\W{1,8}\d{2}\b/;

  /** The digits are in the reply to the service that raised the login, at each hop of the reply, and in no other message. */
  const digitStores: Record<string, () => Promise<string>> = {
    ...stores,
    [SAID_IN_SUITE]: async () => story.suite.text({ except: /^(_R_\.|_INBOX)/ }),
  };

  it.each(Object.keys(digitStores))('the digits of a login are not in %s @spec D1-3.1', async (store) => {
    expect(DIGITS.exec(story.suite.text())?.[0]).toContain(story.digits[0]);
    expect(DIGITS.exec(await digitStores[store]!())).toBeNull();
  });

  it('the digits of a login are in no row of a challenge that has ended', async () => {
    const db = await story.world.opensDatabase('region_eu');
    const rows = await many<{ status: string }>(
      db,
      sql`select status from challenge where digits is null and context is null order by status`,
    );
    await db.destroy();

    expect(rows.map(({ status }) => status)).toEqual(['approved', 'approved', 'denied', 'denied', 'revoked']);
  });

  /** A broadcast is meant to be read: it travels to persons who live elsewhere. At home it is stored under a key. @spec D1-2.12 */
  const broadcasts = new Marks({ 'the broadcast': BROADCAST_STEM });
  const MEANT_TO_BE = [SAID_IN_PLATFORM];

  it.each(Object.keys(stores))('the text of a broadcast is in %s only if it is meant to be there @spec D1-2.12', async (store) => {
    const isMeant = MEANT_TO_BE.includes(store);
    expect(broadcasts.foundIn(await stores[store]!())).toEqual(isMeant ? ['the broadcast'] : []);
  });

  it('the text of a broadcast was read by every recipient', () => {
    expect(story.broadcasts.map((text) => broadcasts.foundIn(text).length)).toEqual([1, 1, 1, 1]);
  });

  /** One-time keys travel with the act, to the region of the company. */
  const keyStores: Record<string, () => Promise<string>> = {
    ...stores,
    [SAID_IN_PLATFORM]: async () => story.platform.text({ except: ACT }),
  };
  const keysIn = (text: string, writings: readonly BufferEncoding[] = ['base64', 'base64url', 'hex']) =>
    story.oneTimeKeys.filter((key) => writings.some((writing) => text.includes(Buffer.from(key, 'base64').toString(writing))));

  it.each(Object.keys(keyStores))('no one-time key of an act is in %s @spec D1-2.12.5', async (store) => {
    expect(keysIn(await keyStores[store]!())).toEqual([]);
  });

  it("one-time keys of acts travel to the company's region when the person lives in another one", () => {
    expect(story.oneTimeKeys).toHaveLength(7);
    expect(keysIn(story.platform.text()).length).toBeGreaterThan(0);
  });

  /** Searches what the databases wrote piece by piece, because it may be long. */
  const foundInWrites = async (since: Date) => {
    const found = new Set<string>();
    for await (const bytes of writtenSince(process.env['CODASE_TEST_POSTGRES_URL']!, since)) {
      const text = Buffer.from(bytes).toString('latin1');
      for (const name of [...marks.foundIn(text), ...keysIn(text, ['base64'])]) found.add(name);
    }
    return [...found];
  };

  it('is in nothing that a database has ever written, even if it was deleted since', async () => {
    expect(await foundInWrites(startedAt)).toEqual([]);
  });

  it('is searched for in sources that are not empty', async () => {
    const empty: string[] = [];
    for (const [store, read] of Object.entries(stores)) if ((await read()) === '') empty.push(store);

    expect(empty.filter((store) => !MAY_BE_EMPTY.includes(store))).toEqual([]);
    expect(story.world.traces!.all.length).toBeGreaterThan(200);
    expect(story.receiver.deliveries.length).toBeGreaterThan(10);
    expect(story.lines.join('')).toContain('event parked');
  });

  /**
   * Puts the text where it must never be, as the fault would that these tests are to find. The parked message is also in a file of the bus.
   */
  const plants: Record<string, () => Promise<unknown>> = {
    'the database feed_consumer': () =>
      writes(story.world.databaseUrl('feed_consumer'), `insert into channel (service, drain_lease) values ('planted', encode($1, 'hex'))`),
    'the streams and buckets of the suite': async () =>
      (await story.world.operator('suite')).streams.publish(
        at(PARKED, { consumer: 'planted' }),
        Buffer.from(`x${STEM}`).toString('base64'),
      ),
    'the files of the bus': async () => undefined,
    [SAID_IN_PLATFORM]: async () => (await story.world.operator('platform')).connection.publish(`planted.${STEM}`),
    [SAID_IN_SUITE]: async () => (await story.world.operator('suite')).connection.publish('_INBOX_feed-consumer.planted', STEM),
    'any span': () => fetch(`${story.world.traces!.url}/v1/traces`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(SPAN) }),
    'the deliveries of a webhook': () => fetch(story.receiver.url, { method: 'POST', body: Buffer.from(STEM).toString('hex') }),
    'temporary files': () => writeFile(join(story.temporaryFolder, 'planted.pdf'), `%PDF ${STEM}`),
    ...(process.platform === 'linux' && {
      'the arguments and settings of the processes, those that read PDFs among them': async () => void planted.push(withArgument(STEM)),
    }),
  };
  /** Two seconds ago, because the times of files are whole seconds. */
  const aMomentAgo = () => new Date(Date.now() - 2000);
  let plantedAt: Date | undefined;
  const planted: ReturnType<typeof withArgument>[] = [];
  afterAll(() => planted.forEach((one) => one.kill()));

  it.each(Object.keys(plants))('is found in %s when it is planted there', async (store) => {
    plantedAt ??= aMomentAgo();
    await plants[store]!();

    const found = await eventually(async () => {
      const names = marks.foundIn(await now[store]!());
      return names.length > 0 ? names : undefined;
    });
    expect(found).toEqual(FOUND);
  });

  it('is found in what a database has written, deleted or not, when it is planted there', async () => {
    await writes(story.world.databaseUrl('feed_consumer'), `delete from channel where drain_lease = encode($1, 'hex')`);

    expect(await foundInWrites(plantedAt!)).toEqual(FOUND);
  });
});

function once(read: () => Promise<string>): () => Promise<string> {
  let text: Promise<string> | undefined;
  return () => (text ??= read());
}

/** Places that may be empty: no service writes there, or the system does not show what processes were given. */
const MAY_BE_EMPTY = [
  'the database flows',
  'temporary files',
  ...(process.platform === 'linux' ? [] : ['the arguments and settings of the processes, those that read PDFs among them']),
];

/** Acts of persons who live elsewhere, on their way to the company's region. */
const ACT = /\.act_on_document$/;

/** The arguments and settings of every process that this one has started, directly or by another process. */
const everyArgument = (): string =>
  processTreeOf(process.pid)
    .filter((pid) => pid !== process.pid)
    .map((pid) => `${readIfThere(`/proc/${pid}/cmdline`)}${readIfThere(`/proc/${pid}/environ`)}`)
    .join('\n');

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // the process has ended
  }
}

const withArgument = (text: string) => spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)', text], { stdio: 'ignore' });

const JSON_TYPE = { 'content-type': 'application/json' };
/** A span with an exception that quotes the text which caused it. */
const SPAN = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: '0'.repeat(32),
              spanId: '0'.repeat(16),
              name: 'planted',
              kind: 1,
              startTimeUnixNano: '0',
              endTimeUnixNano: '0',
              events: [
                { name: 'exception', attributes: [{ key: 'exception.message', value: { stringValue: `not an address: ${STEM}` } }] },
              ],
            },
          ],
        },
      ],
    },
  ],
};

async function everyFile(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))).join('\n');
}

async function writes(databaseUrl: string, text: string): Promise<void> {
  const db = await openDatabase({ url: databaseUrl, name: 'plant', pool: 1 });
  await many(db, { text, values: [Buffer.from(STEM)] }).finally(() => db.destroy());
}
