import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type CodaseClient } from '@codase/client';
import { companyData, plugins, seals, tokens, webhooks, type FlowDefinition } from '@codase/contracts';
import { ApiClient } from '@codase/runtime/http';
import { poll } from '@codase/runtime/resilience';
import { silentLog } from '@codase/runtime/telemetry';
import { clientSecret, DEMO, demoActors, frontDoorUrl, shopConnection, type RunningStack } from '@codase/stack';

const CONTRACT = readFileSync(new URL('../../../libs/pdf/test/fixtures/producers/reportlab.pdf', import.meta.url));
/** A login happens in every fourth round only: a service may not ask the same person for approval every few seconds. */
const ROUNDS_OF_A_LOGIN = 4;

const TURN = { everyMs: 200, withinMs: 30_000 };

/** A flow in which the shop says where it delivers, with a plugin of the platform, and accepts the note that comes of it. */
const deliveryFlow = (plugin_id: string) =>
  ({
    entry: 'where',
    output_mode: 'document',
    parties: [
      { key: 'company', label: 'Shop', type: 'owner' },
      { key: 'customer', label: 'Customer', type: 'person' },
    ],
    nodes: [
      {
        key: 'where',
        party: 'company',
        title: 'Where we deliver',
        elements: [
          {
            kind: 'plugin',
            slug: 'place',
            label: 'Place',
            required: true,
            plugin: { plugin_id, field_type: 'country_and_subdivision', inputs: {} },
          },
        ],
        output: {
          language_party: 'customer',
          documents: [
            {
              output_key: 'note',
              name: 'Delivery note',
              rules: [{ asset_key: 'note', languages: 'all', signers: [{ party: 'company', action: 'accept' }] }],
            },
          ],
        },
      },
    ],
    edges: [],
    constants: [],
  }) satisfies Omit<FlowDefinition, 'nodes'> & { nodes: unknown };

/** Does what happens on a stack that is in use: edits, tokens, calls over the bus, deliveries to a webhook, contracts, runs, logins. */
export class Traffic {
  private rounds = 0;

  private constructor(
    private readonly stack: RunningStack,
    private readonly actors: Awaited<ReturnType<typeof demoActors>>,
    private readonly backend: CodaseClient,
    private readonly receiver: Server,
    private readonly flow: string,
  ) {}

  static async open(stack: RunningStack): Promise<Traffic> {
    const { user = DEMO.consumer, password = '' } = stack.nats.credentials(DEMO.consumer);
    const actors = await demoActors(stack.ports, stack.secrets);
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
    const body = { url, auth_type: 'hmac', hmac_secret: 'a secret between the two' } as const;
    await actors.company('ACME').asks(webhooks.createWebhook, { params: { id: DEMO.keys.shop }, body });
    const backend = await connect({ url: stack.nats.url, user, password, service: DEMO.service, log: silentLog });
    const acme = actors.company('ACME');
    const places = await acme.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
    await describe(places.registry_pass);
    const begun = await acme.flows.begins(DEMO.keys.shop, 'Delivery');
    const template = { file: `data:application/pdf;base64,${CONTRACT.toString('base64')}`, original_name: 'note.pdf' };
    await acme.flows.uploads(begun, 'note', { ...template, mime_type: 'application/pdf', size: CONTRACT.length });
    const flow = await acme.flows.publishes(DEMO.keys.shop, deliveryFlow(places.id), begun);
    return new Traffic(stack, actors, backend, receiver, flow.id);
  }

  /** Ana edits her e-mail address, and the shop opens it. */
  async edit(): Promise<void> {
    this.rounds += 1;
    await this.actors.person('ANA').fields.edits('email', `ana.${this.rounds}@demo.example`);
  }

  /** Does one of each. A login happens in some rounds only. */
  async round(): Promise<void> {
    await this.edit();
    const credentials = { client_id: DEMO.client_id, client_secret: clientSecret(this.stack.secrets, DEMO.client_id) };
    await new ApiClient(frontDoorUrl(this.stack.ports)).call(tokens.issueToken, {
      body: { grant_type: 'client_credentials', ...credentials },
    });
    await this.backend.request(companyData.whoami, {});
    await this.contract();
    await this.plugin();
    await this.run();
    if (this.rounds % ROUNDS_OF_A_LOGIN === 1) await this.login();
  }

  async close(): Promise<void> {
    await this.backend.close();
    this.receiver.closeAllConnections();
    await new Promise((resolve) => this.receiver.close(resolve));
  }

  /** The shop sends a contract, Ana signs it, and the front door is asked to verify the PDF. */
  private async contract(): Promise<void> {
    const ana = this.actors.person('ANA');
    await ana.documents.signs(await this.actors.backend(DEMO.client_id).documents.issuesPdf(ana, CONTRACT), CONTRACT);
    await new ApiClient(frontDoorUrl(this.stack.ports)).call(seals.verifyPdf, { body: CONTRACT });
  }

  /** Acme has the description of a plugin of the platform read again. */
  private async plugin(): Promise<void> {
    const acme = this.actors.company('ACME');
    const [places] = (await acme.asks(plugins.listPlugins, {})).items;
    await describe(await acme.asks(plugins.issueRegistryPass, { params: { id: places!.id } }));
  }

  private async run(): Promise<void> {
    const { flows } = this.backend;
    const { id: connection_id } = (await shopConnection(this.actors.person('ANA')))!;
    const { flow_run_id } = await flows.start(this.flow, { key: randomUUID(), target: { connection_id } });
    const turn = await poll(async () => (await flows.take(flow_run_id)) ?? undefined, TURN);
    await flows.answer(turn!, { place: { picks: { country: 'Austria', subdivision: 'Wien' } } });
    const isOpen = async () => (await flows.documents(flow_run_id)).some(({ own, open }) => own && open) || undefined;
    await poll(isOpen, TURN);
    await flows.accept(flow_run_id, 'note');
  }

  /** Ana types on her phone the digits that the login shows. */
  private async login(): Promise<void> {
    const { phone } = this.actors.person('ANA');
    const challenge = { share_code: 'ANA', context: `Sign-in number ${this.rounds}`, key: randomUUID() };
    let tapped: Promise<unknown> | undefined;
    await this.backend.challenge(challenge, {
      onRaised: ({ challenge_id, matching_digits: digits }) => void (tapped = phone.approves({ challenge_id }, { digits })),
    });
    await tapped;
  }
}

async function describe({ pass, forwarder_url }: { pass: string; forwarder_url: string }): Promise<void> {
  await new ApiClient(forwarder_url).call(plugins.refreshPlugin, { body: { pass } });
}
