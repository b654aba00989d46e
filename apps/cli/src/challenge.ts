import { randomUUID } from 'node:crypto';
import { connect } from '@codase/client';
import { Refusal } from '@codase/contracts';
import { silentLog } from '@codase/runtime/telemetry';
import { DEMO } from '@codase/stack';
import { Fault, messageOf } from '@codase/command-line';
import { readOptions, readPerson, readService, TEXT, textOr, type Context, type Read } from './command.ts';

const CONTEXT = textOr('Sign-in to the shop from this terminal');
const OPTIONS = { person: textOr('ANA'), context: CONTEXT, key: TEXT, service: textOr(DEMO.service) };

/** Acts as a login system of the demo's company: asks a person for approval, shows the digits, and waits for the outcome. */
export const challenge: Read = (words) => {
  const values = readOptions(words, OPTIONS);
  const share_code = readPerson(values.person);
  const service = readService(values.service);
  const { context, key = randomUUID() } = values;
  return (given) => asks(given, { share_code, context, key, service });
};

type ChallengeOptions = Record<'share_code' | 'context' | 'key' | 'service', string>;

async function asks({ target, print, note, signal }: Context, { service, ...challenge }: ChallengeOptions): Promise<number> {
  const { user = DEMO.consumer, password = '', ...address } = target.consumer();
  const codase = await connect({ ...address, user, password, service, log: silentLog });
  try {
    const onRaised = ({ matching_digits }: { matching_digits?: string | undefined }) =>
      note(waiting(challenge.share_code, matching_digits));
    const { approved, status, challenge_id } = await codase.challenge(challenge, { onRaised, signal });
    const result = { approved, status, challenge_id, key: challenge.key };
    print(approved ? 'approved: the login is let in' : `${status}: nobody is let in`, result);
    return approved ? 0 : 1;
  } catch (error) {
    throw signal.aborted ? error : new Fault(`${messageOf(error)}.${mendOf(error, challenge.share_code)}`, { cause: error });
  } finally {
    await codase.close();
  }
}

function waiting(code: string, digits: string | undefined): string {
  const who = code === 'ANA' ? '' : ` --person ${code}`;
  if (digits === undefined) return `${code} is asked. The phone's tap: npm run codase -- approve${who}`;
  return `${code} is asked. Digits to type on the phone: ${digits}. The phone's tap: npm run codase -- approve --digits ${digits}${who}`;
}

const mendOf = (error: unknown, code: string): string =>
  error instanceof Refusal && error.key === 'twofa.not_enrolled' ? ` First do npm run codase -- enrol --person ${code}.` : '';
