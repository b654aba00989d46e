import type { Server } from 'node:http';
import { ANSWER_TURN, CANCEL_RUN, LIST_TURNS, Refusal, RESUME_TURN, TAKE_TURN, TURN_EVENT, type ErrorKey } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { comesTrue, eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { LEASE } from '../src/turns/lease-flow.check.ts';
import { PlayedPlatform } from './played-platform.ts';

const SHOP = { service: 'shop' };
const PROOF = '{"file":"data:application/pdf;base64,cHJvb2Ygb2YgQW5h","original_name":"a.pdf","mime_type":"application/pdf","size":12}';
const RULES = '{"file":"data:application/pdf;base64,cnVsZXM=","original_name":"r.pdf","mime_type":"application/pdf","size":5}';

describe("generation of a run's documents by the company @spec D2-1.6 @spec D2-4.3", () => {
  let world: World;
  let platform: PlayedPlatform;
  let shop: Bus;
  let files: Server | undefined;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: [] });
    platform = await PlayedPlatform.open(world);
    platform.definition = LEASE;
    files = await platform.servesFiles(world.servingPort('gateway'));
    shop = await world.busAs('shop-backend');
    await world.starts('flows', { SERVICES: JSON.stringify({ shop: {} }), POLL_SECONDS: '0.5' });
    db = await world.opensDatabase('flows');
  });
  afterAll(async () => {
    await world?.close();
    files?.close();
  });
  beforeEach(() => {
    const { generation } = platform;
    generation.got.splice(0);
    generation.liveOnly.clear();
    generation.calls = 0;
    generation.onGenerate = generation.onGenerated = () => undefined;
    platform.isUnreadable = false;
  });

  /** Starts a run in which the company is at its last step. */
  const atLeaf = () => platform.run({ name: 'Ana' }, 'terms');
  /** Lets the company answer its last step. */
  const answers = async (flow_run_id: string) => {
    const take = () => shop.request(TAKE_TURN, SHOP, { flow_run_id }, { timeout: 60_000 });
    const { hold } = await eventually(async () => (await take()).turn ?? undefined);
    return shop.request(ANSWER_TURN, SHOP, { flow_run_id, hold, answers: { rent: 730 } }, { timeout: 60_000 });
  };
  const generated = async (id: string) => {
    const isDone = async () => (await stateOf(id)) === 'watched' && platform.runs.get(id)!.status === 'awaiting_signature';
    await eventually(async () => ((await isDone()) ? true : undefined));
    return platform.generation.got.filter(({ run }) => run === id);
  };
  /** Like `generated`, while the pauses between attempts go by. */
  const generatedLater = async (id: string) => {
    await comesTrue(async () => {
      await world.passes({ minutes: 1 });
      expect([await stateOf(id), platform.runs.get(id)!.status]).toEqual(['watched', 'awaiting_signature']);
    });
    return platform.generation.got.filter(({ run }) => run === id);
  };
  const stateOf = async (id: string) => (await many<{ state: string }>(db, sql`select state from run where flow_run_id = ${id}`))[0]?.state;
  const parkedAt = async (id: string) =>
    (await many<{ at: Date }>(db, sql`select changed_at as at from run where flow_run_id = ${id}`))[0]!.at;
  const parked = (id: string) =>
    eventually(async () => {
      const { items } = await shop.request(LIST_TURNS, SHOP, { flow_run_id: id, state: 'parked' });
      return items[0];
    });
  const refuses = (key: ErrorKey, times = Infinity) => {
    let left = times;
    platform.generation.onGenerate = () => {
      if (left-- > 0) throw new Refusal(key as 'flows.generation_failed');
    };
  };

  it("follows the company's last answer, with the plaintext answers sealed under a one-time key", async () => {
    const id = await atLeaf();

    expect(await answers(id)).toEqual({ flow_run_id: id, status: 'generating', node: 'terms' });

    const [got, ...others] = await generated(id);
    expect(others).toEqual([]);
    expect(got).toMatchObject({ values: { name: 'Ana', rent: '730' }, inputs: {} });
    expect(Buffer.from(got!.otk, 'base64')).toHaveLength(32);
    expect((await shop.request(LIST_TURNS, SHOP, { flow_run_id: id })).items).toEqual([]);
  });

  it('uses only the PDFs that the run has for the company @spec D2-4.3.7', async () => {
    const id = await atLeaf();
    platform.answersFile(id, 'proof', PROOF);
    platform.envelopes.set('file_rules', RULES);
    platform.runs.get(id)!.source_files = { 'conn:customer:rules': 'file_rules', 'conn:customer:other': 'file_other' };
    await answers(id);

    const [got] = await generated(id);

    expect(got!.inputs).toEqual({ 'field:proof': PROOF, 'conn:customer:rules': RULES });
    expect(got!.values).toEqual({ name: 'Ana', rent: '730', proof: `{"_enc_file":"file_${id}_proof"}` });
  });

  it('leaves out a linked file that was too large for the run @spec D2-4.3.8', async () => {
    const id = await atLeaf();
    platform.answersFile(id, 'proof', PROOF, true);
    platform.generation.liveOnly.add('proof');
    await answers(id);

    expect((await generated(id))[0]).toMatchObject({ inputs: {}, values: { proof: expect.stringContaining('_link') } });
  });

  it('starts on the next poll when someone else of the company answered the last step', async () => {
    const id = await platform.run({ name: 'Ana', rent: '9' });
    platform.generatesAt(id, 'terms');

    expect(await generated(id)).toMatchObject([{ values: { name: 'Ana', rent: '9' } }]);
  });

  it('is left to the customer who answered the last step', async () => {
    const id = await platform.run({ name: 'Own' });
    platform.generatesAt(id, 'own_terms');
    const ours = await platform.run({ name: 'Ana' });
    platform.generatesAt(ours, 'terms');

    await generated(ours);
    await eventually(async () => ((await stateOf(id)) === 'watched' ? true : undefined));

    expect(platform.runs.get(id)!.status).toBe('generating');
    expect(platform.generation.got.map(({ run }) => run)).toEqual([ours]);
  });

  it('is retried with a new key while the platform cannot be reached', async () => {
    refuses('service.unavailable', 2);
    const id = await atLeaf();
    await answers(id);

    expect(await generatedLater(id)).toHaveLength(1);
    expect(platform.generation.calls).toBe(3);
  });

  it("is not repeated when the platform's answer was lost", async () => {
    let isLost = true;
    platform.generation.onGenerated = () => {
      const wasLost = isLost;
      isLost = false;
      if (wasLost) throw new Refusal('service.unavailable');
    };
    const id = await atLeaf();
    await answers(id);

    expect(await generatedLater(id)).toHaveLength(1);
    expect(platform.generation.calls).toBe(1);
  });

  it('sends changed files again once, and parks the run when they have changed again', async () => {
    refuses('flows.generate_inputs_mismatch', 1);
    const id = await atLeaf();
    platform.answersFile(id, 'proof', PROOF);
    await answers(id);
    expect(await generated(id)).toMatchObject([{ inputs: { 'field:proof': PROOF } }]);

    refuses('flows.generate_inputs_mismatch');
    const other = await atLeaf();
    await answers(other);
    expect(await parked(other)).toMatchObject({ error_key: 'flows.generate_inputs_mismatch' });
    expect(platform.generation.calls).toBe(4);
  });

  it.each(['flows.generation_failed', 'flows.source_pdf_invalid', 'documents.too_large'] as const)(
    'parks the run when it fails with %s, and succeeds after an operator resumes it',
    async (key) => {
      refuses(key);
      const id = await atLeaf();
      await answers(id);

      expect(await parked(id)).toMatchObject({ node: 'terms', state: 'parked', error_key: key });
      const manager = await (await world.operator('suite')).manager();
      const reported = await eventually(async () => {
        const query = { last_by_subj: `codase.turn.v1.shop.parked.${id}-terms-${(await parkedAt(id)).getTime()}` };
        return (await manager.streams.getMessage(TURN_EVENT.stream!, query).catch(() => null)) ?? undefined;
      });
      expect(reported.json()).toMatchObject({ flow_run_id: id, event: 'parked', error_key: key });
      expect(platform.generation.calls).toBe(1);

      platform.generation.onGenerate = () => undefined;
      expect(await shop.request(RESUME_TURN, SHOP, { flow_run_id: id })).toMatchObject({ status: 'generating' });

      expect(await generated(id)).toHaveLength(1);
    },
  );

  it('parks the run before anything is sent when an answer cannot be decrypted', async () => {
    const id = await platform.run({ name: 'Ana' });
    platform.isUnreadable = true;
    platform.generatesAt(id, 'terms');

    expect(await parked(id)).toMatchObject({ error_key: 'decryptor.unreadable' });
    expect(platform.generation.calls).toBe(0);
  });

  it('ends when the run is already over', async () => {
    const over = await atLeaf();
    platform.generation.onGenerate = () => void Object.assign(platform.runs.get(over)!, { status: 'cancelled', current_node: null });
    await answers(over);

    await eventually(async () => ((await stateOf(over)) === 'ended' ? true : undefined));
    expect(platform.generation.got).toEqual([]);
  });

  it('is given up when its parked run is cancelled', async () => {
    refuses('flows.generation_failed');
    const id = await atLeaf();
    await answers(id);
    await parked(id);

    expect(await shop.request(CANCEL_RUN, SHOP, { flow_run_id: id })).toMatchObject({ status: 'cancelled' });
    expect(await stateOf(id)).toBe('ended');
  });

  it('stores no plaintext in any table', async () => {
    refuses('flows.generation_failed');
    const id = await platform.run({ name: 'Ana Unmistakable' });
    platform.answersFile(id, 'proof', PROOF);
    platform.generatesAt(id, 'terms');
    await parked(id);

    const rows = await many<{ row: string }>(
      db,
      sql`
      select run::text as row from run union all select turn_event::text from turn_event
       union all select run_start::text from run_start`,
    );
    const stored = rows.map(({ row }) => row).join('\n');
    expect(stored).toContain(id);
    for (const clear of ['Unmistakable', 'cHJvb2Y', '_enc_file']) expect(stored).not.toContain(clear);
  });
});
