import { CHALLENGE_COMPLETED, FEED, operation, RAISE_CHALLENGE, services, twofa } from '@codase/contracts';
import type { CodaseClient, Raised } from '@codase/client';
import { collectTelemetry, eventually, forgetTelemetry, World, type Person } from '@codase/testing';

const { spans, measured } = collectTelemetry();
/** The kinds of spans, in the order in which OpenTelemetry numbers them. */
const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'];
const CONTEXT = 'Sign-in from Berlin, tattletale';

describe("a company's login that is approved on a phone @spec D1-4.5 @spec D1-3.1", () => {
  let world: World;
  let ana: Person;
  let codase: CodaseClient;
  let logins = 0;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'twofa'] });
    ana = await enrolled('eu');
    const body = { number_matching: true };
    await world.automation.asks(services.changeNumberMatching, { params: { serviceId: world.shop.service_id! }, body });
    codase = await world.internalService();
  });
  afterAll(async () => {
    forgetTelemetry();
    await world?.close();
  });

  const enrolled = async (region: 'eu' | 'us') => {
    const person = await world.signsUp({ type: 'person', region });
    await person.connections.connects('ACME/SHOP');
    await person.phone.enrols(world.shop);
    return person;
  };
  type Span = ReturnType<typeof spans.getFinishedSpans>[number];
  const nameOf = ({ name, kind }: Span) => `${name} (${KINDS[kind]})`;
  /** The spans of the login that has ended since the last reset. */
  const traceOfLogin = (): Span[] => {
    const all = spans.getFinishedSpans();
    const traceId = all.find(({ name }) => name === 'challenge')?.spanContext().traceId;
    return all.filter((span) => span.spanContext().traceId === traceId);
  };
  const edgesOf = (trace: readonly Span[]): Set<string> => {
    const byId = new Map(trace.map((span) => [span.spanContext().spanId, span]));
    return new Set(
      trace.flatMap((span) => {
        const parent = byId.get(span.parentSpanContext?.spanId ?? '');
        return parent ? [`${nameOf(parent)} > ${nameOf(span)}`] : [];
      }),
    );
  };
  /** Begins a login. Resolves as soon as the person is asked. */
  const logsIn = async ({ share_code }: Person) => {
    const key = `login-${++logins}`;
    return new Promise<Raised & { ended: ReturnType<CodaseClient['challenge']> }>((resolve, reject) => {
      const ended = codase.challenge({ share_code, context: CONTEXT, key }, { onRaised: (raised) => resolve({ ...raised, ended }) });
      ended.catch(reject);
    });
  };

  it.each(['eu', 'us'] as const)('is approved when the person enters the digits, in %s', async (region) => {
    const person = region === 'eu' ? ana : await enrolled(region);
    const { challenge_id, matching_digits, ended } = await logsIn(person);
    expect(await person.phone.cards()).toMatchObject([{ challenge_id, context: CONTEXT, number_matching: true }]);
    await person.phone.approves({ challenge_id }, { digits: matching_digits });

    expect(await ended).toEqual({ approved: true, status: 'approved', challenge_id });
  });

  it('is not approved when the person denies it, enters other digits, or leaves the service', async () => {
    const denied = await logsIn(ana);
    await ana.phone.denies(denied);
    expect(await denied.ended).toMatchObject({ approved: false, status: 'denied' });

    const wrong = await logsIn(ana);
    const digits = String(100 - Number(wrong.matching_digits))
      .padStart(2, '0')
      .slice(-2);
    await ana.phone.approves(wrong, { digits: digits === wrong.matching_digits ? '01' : digits });
    expect(await wrong.ended).toMatchObject({ approved: false, status: 'denied' });

    const other = await enrolled('eu');
    const revoked = await logsIn(other);
    await other.phone.revokes(world.shop.service_id!);
    expect(await revoked.ended).toMatchObject({ approved: false, status: 'revoked' });
    await expect(logsIn(other)).rejects.toMatchObject({ key: 'twofa.not_enrolled' });
  });

  it('is not approved after its time has elapsed', async () => {
    const { ended } = await logsIn(ana);
    await world.passes({ seconds: 302 });

    expect(await ended).toMatchObject({ approved: false, status: 'expired' });
  });

  it.each(['eu', 'us'] as const)('is one trace from the login to the phone and back with the outcome, in %s', async (region) => {
    const person = region === 'eu' ? ana : await enrolled(region);
    const stream = person.phone.listens();
    await stream.hears('reset');
    spans.reset();
    await world.passes({ minutes: 2 });
    const { matching_digits, ended } = await logsIn(person);
    const { data: card } = await stream.hears('challenge_raised');
    await person.phone.approves(card, { digits: matching_digits });
    await ended;
    await stream.leaves();

    const [raise, poll] = [operation(twofa.raiseChallenge).pattern, operation(twofa.pollChallenge).pattern];
    const [post, get] = ['POST /api/service-2fa/challenges', 'GET /api/service-2fa/challenges/{challenge_id}'];
    const subject = RAISE_CHALLENGE.pattern;
    const wanted = [
      `challenge (internal) > send ${subject} (client)`,
      `send ${subject} (client) > process ${subject} (server)`,
      `process ${subject} (server) > send ${raise} (client)`,
      `send ${raise} (client) > process ${raise} (server)`,
      `process ${raise} (server) > ${post} (client)`,
      `${post} (client) > ${post} (server)`,
      `${post} (server) > present challenge_raised (internal)`,
      `${post} (server) > answer challenge (server)`,
      `answer challenge (server) > process ${FEED.pattern} (consumer)`,
      `process ${subject} (server) > poll challenge (internal)`,
      `poll challenge (internal) > send ${poll} (client)`,
      `send ${poll} (client) > process ${poll} (server)`,
      `process ${poll} (server) > ${get} (client)`,
      `${get} (client) > ${get} (server)`,
      `process ${subject} (server) > tell outcome (internal)`,
      `tell outcome (internal) > send ${CHALLENGE_COMPLETED.pattern} (producer)`,
    ];
    // A span is recorded when it has ended: the outcome reaches the login before the spans around it end.
    const trace = await eventually(async () => {
      const spansOfLogin = traceOfLogin();
      return wanted.every((edge) => edgesOf(spansOfLogin).has(edge)) ? spansOfLogin : undefined;
    });

    const all = spans.getFinishedSpans();
    // The phone's request has a trace of its own, because no phone chooses the trace of a login. The answer is linked to that trace.
    const tap = all.find(({ name, kind }) => name === 'POST /api/app/challenges/{challengeId}/approve' && KINDS[kind] === 'server')!;
    const answer = trace.find(({ name }) => name === 'answer challenge')!;
    expect(answer.links.map(({ context }) => context.traceId)).toEqual([tap.spanContext().traceId]);
    expect(answer.spanContext().traceId).not.toBe(tap.spanContext().traceId);
    const polls = trace.filter(({ name }) => name === 'poll challenge');
    expect(polls.flatMap(({ links }) => links.map(({ context }) => context.traceId))).toContain(answer.spanContext().traceId);
    const said = JSON.stringify([
      await measured(),
      all.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    ]);
    expect(said).not.toContain('tattletale');
  });
});
