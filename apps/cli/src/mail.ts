import { OPERATOR, WAITING_REGION_MAIL } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { REGIONS } from '@codase/stack';
import { Fault } from '@codase/command-line';
import { withBus } from './bus.ts';
import { readOptions, TEXT, type Context, type Read } from './command.ts';

/** Returns the waiting mails of the front door and of the regions that answer, oldest first. Only a development stack has them. */
export async function waitingMails(bus: Bus, note: Context['note']) {
  const ofRegions = REGIONS.map((region) =>
    bus.request(WAITING_REGION_MAIL, { region }, {}).catch((error: Error) => {
      note(`The mails of region ${region} are not among these: ${error.message}`);
      return { mails: [] };
    }),
  );
  const mails = (await Promise.all([bus.request(OPERATOR.waitingMail, {}, {}), ...ofRegions])).flatMap((answer) => answer.mails);
  return mails.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Prints the mails that a platform without a mail relay would have sent, oldest first. */
export const mail: Read = (words) => {
  const to = readOptions(words, { to: TEXT }).to?.toLowerCase();
  return async ({ target, print, note }) => {
    const mails = await withBus(target.platformOperator(), (bus) => waitingMails(bus, note));
    const wanted = mails.filter((one) => to === undefined || one.to.toLowerCase() === to);
    if (wanted.length === 0) throw new Fault(`No mail${to === undefined ? '' : ` to ${to}`} waits.`);
    for (const one of wanted) print(`${one.at}  to ${one.to}: ${one.subject}\n\n${one.text}`, one);
  };
};
