import { CardPresenter } from './card-presenter.service.ts';

const EVENT = { person_user_id: 'usr_ana', company_user_id: 'usr_acme', object_id: 'chal_1' } as never;

describe('card of a company in another region @spec D1-3.1', () => {
  /** A presenter for a company in this home region, with a record of each question to the front door and to a region. */
  const world = (home: { region: string | undefined }) => {
    const requests: string[] = [];
    const answers = { card: async () => ({ card: null }) };
    const othersWith = async () => {
      requests.push('front door');
      return home.region === undefined ? [] : [home.region];
    };
    const call = async (_: unknown, region: string) => {
      requests.push(region);
      return { card: region === home.region ? { challenge_id: 'chal_1' } : null };
    };
    const presenter = new CardPresenter({ call, othersWith } as never, answers as never);
    return { asked: requests, shows: () => presenter.presents.challenge_raised!(EVENT) };
  };

  it('is read in that region, which is looked up at the front door once', async () => {
    const { asked: request, shows } = world({ region: 'us' });

    for (let n = 0; n < 3; n++) expect(await shows()).toEqual({ challenge_id: 'chal_1' });

    expect(request).toEqual(['front door', 'us', 'us', 'us']);
  });

  it('is read in the new region after a move, and is null when the company is gone', async () => {
    const home: { region: string | undefined } = { region: 'us' };
    const { asked: request, shows } = world(home);
    await shows();

    home.region = 'asia';
    expect(await shows()).toEqual({ challenge_id: 'chal_1' });
    home.region = undefined;
    expect(await shows()).toBeNull();

    expect(request).toEqual(['front door', 'us', 'us', 'front door', 'asia', 'asia', 'front door']);
  });
});
