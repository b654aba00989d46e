import { OPERATOR, Refusal } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { waitingMails } from './mail.ts';

describe('list of unsent mails', () => {
  const mailAt = (at: string) => ({ to: 'ana@demo.example', subject: 'Your code', text: '…', at });
  const ofFrontDoor = mailAt('2026-03-02T10:00:02Z');
  const ofEu = mailAt('2026-03-02T10:00:01Z');

  it('contains the mails of every base that answers, and a note for a region that is down', async () => {
    const request = async (subject: unknown, { region }: { region?: string }) => {
      if (region === 'us') throw new Refusal('service.unavailable').because('Nobody answers');
      return { mails: [subject === OPERATOR.waitingMail ? ofFrontDoor : ofEu] };
    };
    const notes: string[] = [];

    expect(await waitingMails({ request } as unknown as Bus, (line) => void notes.push(line))).toEqual([ofEu, ofFrontDoor]);
    expect(notes).toEqual(['The mails of region us are not among these: Nobody answers']);
  });
});
