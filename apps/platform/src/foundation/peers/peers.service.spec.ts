import { MESSAGE_SUBJECTS, Refusal, type ErrorKey } from '@codase/contracts';
import { Peers, type Search } from './peers.service.ts';

const SEARCH: Search = { companies: async () => ['usr_company'], notFound: ['company_data.connection_not_found'] };
const { read: write, list: read, unread } = MESSAGE_SUBJECTS;
const LISTED = { user_id: 'usr_1', connection_id: 'conn_1', limit: 1, after: null };
const READ = { user_id: 'usr_1', connection_id: 'conn_1', message_id: 'msg_1' };

describe('calls of peers', () => {
  /** What each region answers: an error key, or anything else for an answer. */
  let answers: Record<string, string>;
  let called: string[];
  beforeEach(() => {
    [answers, called] = [{}, []];
  });

  const answerOf = async (region: string, how = region) => {
    called.push(how);
    const answer = answers[region] ?? region;
    if (answer === 'region.rebase_required') throw new Refusal(answer, { api_url: 'https://us.example' });
    if (answer.includes('.')) throw new Refusal(answer as 'service.unavailable');
    return answer;
  };
  const peers = new Peers(
    {} as never,
    { request: (_: unknown, { region }: { region: string }) => answerOf(region) } as never,
    { regionsOf: async () => ['eu', 'us', 'asia'] } as never,
    { base: 'region', region: 'eu' },
    { handle: () => answerOf('eu'), checkBeforeSending() {} } as never,
    { send: (region: string) => answerOf(region, `${region} in chunks`) } as never,
  );
  const refusal = (key: ErrorKey) => expect.objectContaining({ key }) as Error;

  it('stay in this process when the region is this one', async () => {
    expect([await peers.call(read, 'eu', LISTED), await peers.call(read, 'us', LISTED)]).toEqual(['eu', 'us']);
  });

  it('go in chunks when the request is too long for one message', async () => {
    await peers.call(MESSAGE_SUBJECTS.write, 'us', { ...READ, body: 'x'.repeat(2_000_000) as never });

    expect(called).toEqual(['us in chunks']);
  });

  it('stop at the first region that has what is sought', async () => {
    answers = { eu: 'company_data.connection_not_found', us: 'platform.out_of_order' };

    expect(await peers.find(read, LISTED, SEARCH)).toBe('asia');
    expect(called).toEqual(['eu', 'us', 'asia']);
  });

  it('go to no other region after a refusal that another region would repeat', async () => {
    answers = { eu: 'company_data.ack_boundary_invalid' };

    await expect(peers.find(write, READ, SEARCH)).rejects.toEqual(refusal('company_data.ack_boundary_invalid'));
    expect(called).toEqual(['eu']);
  });

  it.each([
    ['a read', read, LISTED, 'service.unavailable'],
    ['a write', write, READ, 'db.writes_paused'],
  ] as const)('are refused for the moment while a company moves: %s', async (_, subject, request, key) => {
    answers = { eu: 'company_data.connection_not_found', us: 'region.rebase_required', asia: 'company_data.connection_not_found' };

    await expect(peers.find(subject, request as never, SEARCH)).rejects.toEqual(refusal(key));
  });

  it('are refused as the search says when a region is out of order', async () => {
    answers = { eu: 'company_data.connection_not_found', us: 'platform.out_of_order', asia: 'company_data.connection_not_found' };
    const search: Search = { ...SEARCH, instead: { 'platform.out_of_order': 'twofa.unavailable' } };

    await expect(peers.find(read, LISTED, search)).rejects.toEqual(refusal('twofa.unavailable'));
    await expect(peers.find(read, LISTED, SEARCH)).rejects.toEqual(refusal('platform.out_of_order'));
  });

  it('gather the answers of all regions of a user', async () => {
    const gathered = await peers.gather(unread, { user_id: 'usr_1' }, SEARCH);

    expect(gathered).toEqual(['eu', 'us', 'asia'].map((region) => ({ region, reply: region })));
  });
});
