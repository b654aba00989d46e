import { connect, type CodaseClient } from '@codase/client';
import { Refusal } from '@codase/contracts';
import { silentLog } from '@codase/runtime/telemetry';
import { DEMO } from '@codase/stack';
import { Fault, messageOf } from '@codase/command-line';
import { readService, type Context, type Read } from './command.ts';

/** Makes a command that works with the client of the company's own services. Refusals become sentences that say how to fix them. */
export const clientWith =
  (mends: Readonly<Record<string, string>>) =>
  (given: string, work: (codase: CodaseClient, context: Context) => Promise<number>): ReturnType<Read> => {
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
  };
