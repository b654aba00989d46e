// npm run story: what npm start recommends to try, played by the demo company against the running stack.
import { connect } from '@codase/client';
import { companyData, Refusal, tokens } from '@codase/contracts';
import { ApiClient } from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { clientSecret, DEMO, frontDoorUrl, regionUrl, runningStack, tracesUrl, type RunningStack } from '@codase/stack';
import { asFault, command, Fault } from '@codase/command-line';
import { exitCodeOf } from '../command/results.ts';
import { ROOT } from '../command/root.ts';
import { readOptions } from '../start/options.ts';
import { traced } from './traced.ts';

const HELP = `npm run story   what the default stack of npm start does, played by its demo company

Gets a token at the front door, asks whoami at home and at the wrong region, asks the same of the gateway over NATS,
and draws the trace of that last request. The stack must be running; CODASE_STATE_DIR names its state folder.`;

async function tellStory(): Promise<void> {
  const { stateDir, external, traces } = readOptions([], process.env, ROOT);
  const stack = runningStack({ stateDir, natsUrl: external?.natsUrl });
  await askDirectly(stack);
  await askOverTheBus(stack, traces);
}

async function askDirectly({ ports, secrets }: RunningStack): Promise<void> {
  const frontDoor = frontDoorUrl(ports);
  const credentials = { client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) };
  const token = await new ApiClient(frontDoor).call(tokens.issueToken, { body: { grant_type: 'client_credentials', ...credentials } });
  tell(`${DEMO.client_id} gets a token at ${frontDoor}`, `good for ${token.expires_in} s, and its data is at ${token.api_url}`);

  const whoami = (base: string) => new ApiClient(base, { token: token.access_token }).call(companyData.whoami, {});
  tell('it asks there who it is', JSON.stringify(await whoami(token.api_url!)));

  const elsewhere = regionUrl(ports, 'us');
  const answered = () => new Fault(`${elsewhere} answered for a company that does not live there.`);
  const refusal = await whoami(elsewhere).then(answered, (error: unknown) => error);
  if (!(refusal instanceof Refusal)) throw refusal;
  tell(`it asks the wrong region, ${elsewhere}`, `${refusal.status} ${refusal.key} ${JSON.stringify(refusal.extras)}`);
}

async function askOverTheBus({ ports, nats }: RunningStack, collector: string | undefined): Promise<void> {
  const { user = '', password = '' } = nats.credentials(DEMO.consumer);
  const backend = await connect({ url: nats.url, user, password, service: DEMO.service, log: silentLog });
  try {
    const { answer, drawing } = await traced(collector ? undefined : tracesUrl(ports), () => backend.request(companyData.whoami, {}));
    tell(`${DEMO.consumer}, a service of the company, asks the same of the gateway over NATS`, JSON.stringify(answer));
    if (drawing) tell('the trace of that request, across both planes', drawing);
  } finally {
    await backend.close();
  }
}

const tell = (what: string, outcome: string): void => console.log(`${what}\n${outcome.replaceAll(/^/gm, '  ')}`);

await command(HELP, () =>
  exitCodeOf(() =>
    tellStory().catch((error: unknown) => {
      throw asFault(error);
    }),
  ),
);
