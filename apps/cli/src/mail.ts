import { OPERATOR } from '@cds/contracts';
import { Fault, readArguments } from '@cds/command-line';
import { withBus } from './bus.ts';
import { noWords, type Read } from './command.ts';

const OPTIONS = { to: { type: 'string' } } as const;

/** The letters that a platform without a mail relay would have sent, oldest first. */
export const mail: Read = (words) => {
  const { values, positionals } = readArguments(words, OPTIONS);
  noWords(positionals);
  const to = values.to?.toLowerCase();
  return async ({ target, print }) => {
    const { mails: letters } = await withBus(target.platformOperator(), (bus) => bus.request(OPERATOR.waitingMail, {}, {}));
    const wanted = letters.filter((letter) => to === undefined || letter.to === to).toReversed();
    if (wanted.length === 0) throw new Fault(`No letter${to === undefined ? '' : ` to ${to}`} waits.`);
    for (const letter of wanted) print(`${letter.at}  to ${letter.to}: ${letter.subject}\n\n${letter.text}`, letter);
    return 0;
  };
};
