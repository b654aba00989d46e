import { OPERATOR, WAITING_REGION_MAIL } from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';
import { REGIONS } from '@cds/stack';
import { Fault, readArguments } from '@cds/command-line';
import { withBus } from './bus.ts';
import { noWords, type Read } from './command.ts';

/** Of the front door and of the regions of a development, oldest first. */
async function waitingMails(bus: Bus) {
  const answers = [bus.request(OPERATOR.waitingMail, {}, {}), ...REGIONS.map((region) => bus.request(WAITING_REGION_MAIL, { region }, {}))];
  const mails = (await Promise.all(answers)).flatMap((answer) => answer.mails);
  return mails.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const OPTIONS = { to: { type: 'string' } } as const;

/** The mails that a platform without a mail relay would have sent, oldest first. */
export const mail: Read = (words) => {
  const { values, positionals } = readArguments(words, OPTIONS);
  noWords(positionals);
  const to = values.to?.toLowerCase();
  return async ({ target, print }) => {
    const mails = await withBus(target.platformOperator(), waitingMails);
    const wanted = mails.filter((one) => to === undefined || one.to.toLowerCase() === to);
    if (wanted.length === 0) throw new Fault(`No mail${to === undefined ? '' : ` to ${to}`} waits.`);
    for (const one of wanted) print(`${one.at}  to ${one.to}: ${one.subject}\n\n${one.text}`, one);
    return 0;
  };
};
