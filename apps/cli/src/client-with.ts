import { connect, type CodaseClient } from '@codase/client';
import { Refusal } from '@codase/contracts';
import { silentLog } from '@codase/runtime/telemetry';
import { DEMO } from '@codase/stack';
import { Fault, messageOf, readArguments } from '@codase/command-line';
import { readService, textOr, type Context, type Options, type Read, type Run, type Values } from './command.ts';

/** What to do about a refusal, by its key: a sentence behind the message. */
type Mends = Readonly<Record<string, string>>;
type Work = (codase: CodaseClient, context: Context) => ReturnType<Run>;

/** Works with the client of the company's own services. Refusals become sentences that say how to fix them. */
export function withClient(given: string, mends: Mends, work: Work): Run {
  const service = readService(given);
  return async (context) => {
    const { user = DEMO.consumer, password = '', ...address } = context.target.consumer();
    const gateway = context.target.gateway();
    const codase = await connect({ ...address, user, password, service, log: silentLog, ...(gateway && { gateway }) });
    try {
      return await work(codase, context);
    } catch (error) {
      if (error instanceof Fault || context.signal.aborted) throw error;
      const mend = (error instanceof Refusal && mends[error.key]) || '';
      throw new Fault(`${messageOf(error)}.${mend}`, { cause: error });
    } finally {
      await codase.close();
    }
  };
}

/** Returns the function that makes commands which work with the client, for the service that --service names. */
export const clientCommands =
  (mends: Mends) =>
  <const O extends Options>(options: O, read: (values: Values<O>, words: string[]) => Work): Read =>
  (words) => {
    const { values, positionals } = readArguments(words, { service: textOr(DEMO.service), ...options });
    const work = read(values as Values<O>, positionals);
    return withClient((values as { service: string }).service, mends, work);
  };
