import {
  accountClients,
  accountSecurity,
  appDocuments,
  approvals,
  CAPABILITIES,
  connectRequests,
  connections,
  contactData,
  customer,
  customerDocuments,
  customerMessages,
  customerRuns,
  delegates,
  delegations,
  devices,
  documents,
  feed,
  flowAuthoring,
  identity,
  messages,
  ownerRuns,
  personMessages,
  personSecurity,
  phones,
  photos,
  plugins,
  recovery,
  registry,
  runs,
  serviceClient,
  services,
  signInApps,
  tokens,
  webhooks,
  type Endpoint,
} from '@codase/contracts';
import { Device, eventually, pdfThatShows, sealedFor, type Backend, type Company, type Person, type World } from '@codase/testing';
import { field, flowOf, optional, stepOf } from '@codase/testing/flow-definition';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { SLUG } from '../soak/request-field.ts';
import type { Rehearsal } from './rehearsal.ts';

export interface Parties {
  person: Person;
  company: Company;
  backend: Backend;
  /** The share codes of the company and the service. */
  code: string;
}

type Holds = (contract: Endpoint, work: () => Promise<unknown>) => Promise<void>;

const REGION = 'eu';
/** The slug of a request field whose answer is a file. */
export const SCAN = 'scan';
/** A PNG with one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PHOTO = {
  file: `data:image/png;base64,${PIXEL}`,
  original_name: 'a.png',
  mime_type: 'image/png',
  size: Buffer.from(PIXEL, 'base64').length,
};
const FLOW = flowOf(
  [
    stepOf('customer', 'start', 'Start', [field('town', 'text'), optional('scan', 'document')]),
    stepOf('company', 'close', 'Close', [field('number', 'text'), optional('deed', 'document')]),
  ],
  [{ from: 'start', to: 'close' }],
);

/**
 * Prepares requests that succeed, to operations that no chosen request would succeed at: they need a code of a mail, a value that is
 * sealed, a PDF, or an object in a certain state. Each has an object of its own, so that they can be sent in any order.
 */
export async function prepareRequests(world: World, rehearsal: Rehearsal, parties: Parties): Promise<void> {
  const holds: Holds = (contract, work) => rehearsal.holds(contract, work);
  await ofConnections(holds, parties);
  await ofDocuments(holds, parties);
  await ofCustomerCompanies(world, holds, parties);
  await ofFlows(holds, parties);
  await ofServices(world, holds, parties);
  await ofRecovery(world, holds, parties);
  await ofPeople(world, holds, parties);
  await ofAccounts(world, holds);
}

async function ofConnections(holds: Holds, { person, backend, code, company }: Parties): Promise<void> {
  const [connection] = (await person.asks(customer.listCustomerConnections, { query: {} })).items;
  const own = { id: connection!.id, service: connection!.service };
  const fromCustomer = await person.messages.writes(own as never, 'Is it in stock?');
  const sent = await backend.messages.sends(own.id, await backend.sealsFor(person, 'once more'));
  const raised = await backend.challenges.raises(person);
  const delegate = (await person.delegations.lists())[0]!;
  await holds(customer.connect, () => person.connections.connects(code, { [SLUG]: person.email }));
  await holds(customer.changeCustomerConnection, () => person.connections.shares(own as never, { [SLUG]: person.email }));
  await holds(messages.acknowledgeMessages, () => backend.messages.acknowledges(fromCustomer));
  await holds(messages.sendMessage, async () => backend.messages.sends(own.id, await backend.sealsFor(person, 'again')));
  const broadcast = { connection_id: own.id, body: await backend.sealsFor(person, 'to all') };
  await holds(messages.broadcastMessage, () => backend.messages.broadcasts([broadcast]));
  await holds(personMessages.readMessages, () => person.messages.reads(sent));
  await holds(approvals.denyChallenge, () => person.phone.denies(raised));
  await holds(feed.drainChanges, () => backend.feed.drains());
  await holds(delegations.readDelegatedKey, () => person.delegations.reads(delegate, backend.service_id!));
  await holds(connections.readSlotFile, async () => {
    const { fields } = await company.services.readsRequest(backend.service_id!);
    const serviceFieldId = fields.find(({ slug }) => slug === SCAN)!.service_field_id;
    await backend.asks(connections.readSlotFile, { params: { connectionId: own.id, serviceFieldId: serviceFieldId! } });
  });
}

async function ofDocuments(holds: Holds, { person, backend }: Parties): Promise<void> {
  const { documents: issued } = backend;
  const pdf = pdfThatShows('Terms');
  const signature = { requires_signature: true };
  const acceptance = { requires_acceptance: true };
  const cancellable = { ...acceptance, kind: 'agreement' as const, metadata: { can_be_cancelled_in_app: true } };
  await holds(documents.createDocument, () => issued.issues(person, signature));
  for (const contract of [appDocuments.signDocument, appDocuments.declineDocument] as const) {
    const document = await issued.issues(person, signature);
    await holds(contract, () =>
      contract === appDocuments.signDocument ? person.documents.signs(document) : person.documents.declines(document),
    );
  }
  const [accepted, cancelled, deleted, file] = [
    await issued.issues(person, acceptance),
    await issued.issues(person, cancellable),
    await issued.issues(person),
    await issued.issuesPdf(person, pdf),
  ];
  await person.documents.accepts(cancelled);
  await holds(appDocuments.acceptDocument, () => person.documents.accepts(accepted));
  await holds(appDocuments.cancelDocument, () => person.documents.cancels(cancelled));
  await holds(documents.deleteDocument, () => issued.deletes(deleted));
  const body = { name: 'Hours', payload_kind: 'json', value: '{"open":"9-17"}' } as const;
  const forAll = await backend.asks(documents.createDocument, { body });
  await holds(documents.readDocumentFile, () => backend.asks(documents.readDocumentFile, { params: { id: forAll.id } }));
  await holds(documents.replaceDocumentFile, async () => {
    const envelope = {
      file: `data:application/pdf;base64,${pdf.toString('base64')}`,
      original_name: 'b.pdf',
      mime_type: 'application/pdf',
    };
    const sealed = await backend.sealsFor(person, JSON.stringify({ ...envelope, size: pdf.length }));
    const replaced = { file: sealed, plain_sha256: 'f'.repeat(64) };
    await backend.asks(documents.replaceDocumentFile, { params: { id: file.id }, body: replaced });
  });
}

/** Another company that is a customer of the service. */
async function ofCustomerCompanies(world: World, holds: Holds, { backend, code }: Parties): Promise<void> {
  const other = await world.signsUp({ type: 'company', region: REGION, level: 'business' });
  const { connections: own, documents: received, messages: written } = other.asCustomer;
  const connection = await own.connects(code, { [SLUG]: other.email });
  const sent = await backend.messages.sends(connection.id, await backend.sealsFor(other, 'Hello'));
  const issue = (terms = {}) => backend.documents.issues(other, terms);
  const [plain, signed, accepted, declined, cancelled] = [
    await issue(),
    await issue({ requires_signature: true }),
    await issue({ requires_acceptance: true }),
    await issue({ requires_acceptance: true }),
    await issue({ requires_acceptance: true, kind: 'agreement', metadata: { can_be_cancelled_in_app: true } }),
  ];
  await received.accepts(cancelled);
  await holds(customerMessages.listMessages, () => written.lists(connection));
  await holds(customerMessages.writeMessage, () => written.writes(connection, 'Hello'));
  await holds(customerMessages.readMessages, () => written.reads(sent));
  await holds(customerDocuments.readReceivedDocument, () => received.reads(plain));
  await holds(customerDocuments.readReceivedFile, () => received.fetches(plain));
  await holds(customerDocuments.signDocument, () => received.signs(signed, undefined, { method: 'custodian' }));
  await holds(customerDocuments.acceptDocument, () => received.accepts(accepted));
  await holds(customerDocuments.declineDocument, () => received.declines(declined));
  await holds(customerDocuments.cancelDocument, () => received.cancels(cancelled));
  await holds(customer.disconnect, () => own.disconnects(connection));
}

async function ofFlows(holds: Holds, { person, company, backend }: Parties): Promise<void> {
  const id = backend.service_id!;
  const [connection] = (await person.asks(customer.listCustomerConnections, { query: {} })).items;
  const flow = await company.flows.publishes(id, FLOW);
  await company.flows.publishes(id, flowOf([stepOf('customer', 'start', 'Begin', [field('town', 'text')])], []), flow);
  const [gone, drafted] = [await company.flows.begins(id), await company.flows.saves(await company.flows.begins(id), FLOW)];
  const [kept, removed] = ['kept', 'removed'];
  for (const key of [kept, removed]) await company.flows.uploads(flow, key, PHOTO);
  const asset = (assetKey: string) => ({ params: { flowId: flow.id, assetKey } });
  await holds(flowAuthoring.createFlow, () => company.flows.begins(id));
  await holds(flowAuthoring.saveDraft, async () => company.flows.saves(await company.flows.begins(id), FLOW));
  await holds(flowAuthoring.deleteFlow, () => company.flows.deletes(gone));
  await holds(flowAuthoring.publishFlow, () => company.flows.publishesDraft(drafted));
  await holds(flowAuthoring.compareFlowVersions, () =>
    company.asks(flowAuthoring.compareFlowVersions, { params: { flowId: flow.id, version: '2' }, query: { since: '1' } } as never),
  );
  await holds(flowAuthoring.putTemplate, () => company.flows.uploads(flow, 'logo', PHOTO));
  await holds(flowAuthoring.readTemplate, () => company.asks(flowAuthoring.readTemplate, asset(kept)));
  await holds(flowAuthoring.deleteTemplate, () => company.asks(flowAuthoring.deleteTemplate, asset(removed)));

  const played = await company.flows.publishes(id, FLOW);
  const target = { target: { connection_id: connection!.id } };
  const start = () => backend.flows.starts(played.id, target);
  const run = { params: { id, flowId: played.id } };
  const onward = { next_node: 'close' };
  const atCompany = async () => {
    const begun = await start();
    await person.flows.answers({ id: connection!.id }, begun, { town: 'Bern' }, onward);
    return begun;
  };
  await holds(runs.startRun, start);
  await holds(ownerRuns.startOwnRun, () => company.asks(ownerRuns.startOwnRun, { ...run, body: target } as never));
  const [answered, cancelled, ofOwner, cancelledByOwner, ofCustomer, uploading] = [
    await atCompany(),
    await start(),
    await atCompany(),
    await start(),
    await start(),
    await atCompany(),
  ];
  await holds(customerRuns.answerCustomerRun, () => person.flows.answers({ id: connection!.id }, ofCustomer, { town: 'Bern' }, onward));
  const [attaching, attached] = [await start(), await start()];
  const own = { id: connection!.id };
  const files = [await person.flows.attaches(own, attached, 'scan', 'a file')];
  await person.flows.answers(own, attached, { town: 'Bern' }, onward, files);
  const file = (JSON.parse(files[0]!.values.find(({ for_user_id }) => for_user_id === person.user_id)!.value) as { _enc_file: string })
    ._enc_file;
  const passes = { params: { connectionId: own.id, runId: attaching.id } };
  await holds(customerRuns.issueCustomerPluginPass, () => person.asks(customerRuns.issueCustomerPluginPass, passes));
  await holds(runs.issuePluginPass, () => backend.asks(runs.issuePluginPass, { params: { runId: uploading.id } }));
  await holds(customerRuns.readCustomerRun, () => person.flows.reads(own, attached));
  await holds(customerRuns.uploadCustomerAnswerFile, () => person.flows.attaches(own, attaching, 'scan', 'a file'));
  await holds(runs.readAnswerFile, () => backend.asks(runs.readAnswerFile, { params: { runId: attached.id, slug: 'scan' } }));
  await holds(customerRuns.readCustomerAnswerFile, () =>
    person.asks(customerRuns.readCustomerAnswerFile, { params: { connectionId: own.id, runId: attached.id, file } }),
  );
  await holds(runs.answerRun, () => backend.flows.answers(answered, { number: '7' }, { leaf: true }, [person]));
  await holds(runs.cancelRun, () => backend.flows.cancels(cancelled));
  await holds(ownerRuns.answerOwnRun, async () => {
    const keys = backend.flows.partyKeys(ofOwner, [person]);
    const body = { answers: await sealedFor(keys, { number: '7' }), leaf: true } as const;
    await company.asks(ownerRuns.answerOwnRun, { params: { ...run.params, runId: ofOwner.id }, body });
  });
  await holds(ownerRuns.cancelOwnRun, () =>
    company.asks(ownerRuns.cancelOwnRun, { params: { ...run.params, runId: cancelledByOwner.id } }),
  );
  const copy = async () => ({ slug: 'deed', for_user_id: company.user_id, value: await person.sealsFor(backend, 'a file') });
  await holds(runs.uploadAnswerFile, async () =>
    backend.asks(runs.uploadAnswerFile, { params: { runId: uploading.id }, body: (await copy()) as never }),
  );
  await holds(ownerRuns.uploadOwnAnswerFile, async () =>
    company.asks(ownerRuns.uploadOwnAnswerFile, { params: { ...run.params, runId: uploading.id }, body: (await copy()) as never }),
  );
}

async function ofServices(world: World, holds: Holds, { company, backend, person, code }: Parties): Promise<void> {
  const key = SERVICE_KEYS[2];
  const body = {
    admin_email: 'second@attacked.example',
    public_key: key.public_key,
    encrypted_private_key: { ...key.encrypted_private_key, iter: 100_000 as const },
  };
  const create = (name: string) =>
    company.asks(services.createService, { body: { ...body, name, admin_email: `${name}@attacked.example` } });
  const [bare, changing, ending] = [await create('bare'), await create('changing'), await create('ending')];
  for (const { id } of [changing, ending]) await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
  const [photo, removed] = [await company.photos.of(bare.id).adds(PHOTO), await company.photos.of(changing.id).adds(PHOTO)];
  const hook = { url: 'https://hook.example/in' };
  const webhook = await company.asks(webhooks.createWebhook, { params: { id: bare.id }, body: hook });
  const plugin = await company.asks(plugins.addPlugin, {
    body: { base_url: `https://${bare.id.replaceAll('_', '-')}.plugins.example`, token: 'a-token-of-ours' },
  });
  const app = await company.signInApps.creates();
  const mailed = await eventually(
    async () => (await world.regionMails(REGION)).find(({ to }) => to === 'bare@attacked.example')?.code ?? undefined,
  );
  await company.asks(registry.putContactField, { params: { slug: 'shoe_size' }, body: { label: 'Shoe size', type: 'integer' } });

  await holds(services.confirmAdminEmail, () =>
    company.asks(services.confirmAdminEmail, { params: { id: bare.id }, body: { code: mailed } }),
  );
  await holds(services.publishRequestFields, () =>
    company.services.publishesRequest(bare.id, [{ slug: 'phone', label: 'Phone', type: 'phone' }]),
  );
  await holds(services.downloadPrivateKey, () => company.asks(services.downloadPrivateKey, { params: { id: bare.id } }));
  await holds(serviceClient.createServiceClient, () =>
    company.asks(serviceClient.createServiceClient, { params: { id: bare.id }, body: {} }),
  );
  await holds(serviceClient.changeServiceClient, () =>
    company.asks(serviceClient.changeServiceClient, { params: { id: changing.id }, body: { redirect_uri: 'https://crm.example/back' } }),
  );
  await holds(serviceClient.deleteServiceClient, () => company.asks(serviceClient.deleteServiceClient, { params: { id: ending.id } }));
  await holds(webhooks.createWebhook, () => company.asks(webhooks.createWebhook, { params: { id: changing.id }, body: hook }));
  await holds(webhooks.changeWebhook, () =>
    company.asks(webhooks.changeWebhook, { params: { id: bare.id, webhookId: webhook.id }, body: { url: 'https://hook.example/other' } }),
  );
  const other = await company.asks(webhooks.createWebhook, { params: { id: changing.id }, body: hook });
  await holds(webhooks.deleteWebhook, () => company.asks(webhooks.deleteWebhook, { params: { id: changing.id, webhookId: other.id } }));
  await holds(photos.readServicePhoto, () => company.photos.of(bare.id).reads(photo));
  await holds(photos.deleteServicePhoto, () => company.photos.of(changing.id).deletes(removed));
  const [companyCode = '', serviceCode = ''] = code.split('/');
  const shown = await company.photos.of(backend.service_id!).adds(PHOTO);
  await company.asks(services.changeShareConfig, {
    params: { id: backend.service_id! },
    body: { audience: 'both', fields: [], photo_id: shown.id },
  });
  const [connection] = (await person.asks(customer.listCustomerConnections, { query: {} })).items;
  const ofConnection = { params: { connectionId: connection!.id } };
  await holds(customer.readShownPhoto, () => person.asks(customer.readShownPhoto, { params: { companyCode, serviceCode } }));
  await holds(customer.readConnectionPhoto, () => person.asks(customer.readConnectionPhoto, ofConnection));
  const { registry_pass } = await company.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
  await holds(plugins.refreshPlugin, () =>
    world.stranger.asks(plugins.refreshPlugin, { body: { pass: registry_pass.pass } }, { at: registry_pass.forwarder_url }),
  );
  await holds(plugins.changePluginToken, () =>
    company.asks(plugins.changePluginToken, { params: { id: plugin.id }, body: { token: 'another-token' } }),
  );
  await holds(registry.deleteContactField, () => company.asks(registry.deleteContactField, { params: { slug: 'shoe_size' } }));
  const rights = { name: 'Rotated', purpose: 'rotated', capabilities: [...CAPABILITIES] };
  const { client_id } = await company.asks(accountClients.createAccountClient, { body: rights });
  await holds(accountClients.rotateAccountSecret, () =>
    company.asks(accountClients.rotateAccountSecret, { params: { id: client_id }, body: { keep_old_hours: 1 } }),
  );
  await holds(signInApps.changeOauthApp, () => company.signInApps.changes(app.id, { redirect_uris: ['https://login.example/other'] }));
  await holds(signInApps.deleteOauthApp, () => company.signInApps.deletes(app.id));
}

async function ofRecovery(world: World, holds: Holds, { company, backend }: Parties): Promise<void> {
  await company.recovery.setsKey(SERVICE_KEYS[3]);
  const copy = await company.recovery.keeps('service_passphrase', backend.service_id!, 'a passphrase');
  await company.recovery.asksCode();
  const proof = { password: company.password, code: await mailedTo(world, company.email) };
  await holds(recovery.recoverSecret, () => company.recovery.recovers(copy, proof));
  await holds(recovery.storeRecoveryCopy, () => company.recovery.keeps('service_passphrase', backend.service_id!, 'a passphrase'));

  const [other, without] = await Promise.all([0, 1].map(() => world.signsUp({ type: 'company', region: REGION, level: 'business' })));
  await holds(recovery.setRecoveryKey, () => without!.recovery.setsKey(SERVICE_KEYS[3]));
  await other!.recovery.setsKey(SERVICE_KEYS[3]);
  await other!.recovery.asksCode();
  const code = await mailedTo(world, other!.email);
  await holds(recovery.resetRecoveryKey, () => other!.recovery.resets({ password: other!.password, code }));
}

async function ofPeople(world: World, holds: Holds, { person, backend, company, code }: Parties): Promise<void> {
  const [inviting, refusing] = await Promise.all([0, 1].map(() => world.signsUp({ type: 'person', region: REGION })));
  const third = await world.signsUp({ type: 'person', region: REGION });
  await holds(connections.requestConnection, () => backend.invites(third));
  const [invited, refused] = [await backend.invites(inviting!), await backend.invites(refusing!)];
  await holds(connectRequests.acceptConnectRequest, async () => {
    const body = { values: [] } as never;
    await inviting!.asks(connectRequests.acceptConnectRequest, { params: { requestId: invited.request_id }, body });
  });
  await holds(connectRequests.rejectConnectRequest, () => refusing!.invitations.rejects(refused));

  const ending = { params: { connectionId: (await third.connections.connects(code, { [SLUG]: third.email })).id } };
  await holds(connections.endConnection, () => backend.asks(connections.endConnection, ending));
  const delegate = await company.delegates.adds(third);
  await holds(delegates.grantService, () => company.delegates.grants(delegate, backend.service_id!, 'the passphrase of the key'));

  await third.signsIn();
  const { items } = await third.asks(tokens.listSessions, {}, { at: world.frontDoorUrl });
  await holds(tokens.endSession, () => third.asks(tokens.endSession, { params: { sessionId: items[0]!.id } }, { at: world.frontDoorUrl }));

  await person.fields.edits('phone', '+41 31 000 00 00');
  await holds(contactData.deleteContactData, () => person.asks(contactData.deleteContactData, { params: { slug: 'phone' } }));
  const phone = await refusing!.phone.registers('A phone');
  await holds(phones.addPhone, () => inviting!.phone.registers('A phone'));
  await holds(phones.removePhone, () => refusing!.phone.removes(phone.device));

  const owner = await world.signsUp({ type: 'person', region: REGION });
  for (const _ of [1, 2]) {
    owner.uses(new Device(() => world.now));
    await owner.signsIn();
  }
  const [first, second] = (await owner.asks(devices.listDevices, {}, { at: world.frontDoorUrl })).items;
  const at = { at: world.frontDoorUrl };
  const rename = { params: { deviceId: first!.id }, body: { name: 'Mine' } };
  await holds(devices.renameDevice, () => owner.asks(devices.renameDevice, rename, at));
  await holds(devices.removeDevice, () => owner.asks(devices.removeDevice, { params: { deviceId: second!.id } }, at));
}

async function ofAccounts(world: World, holds: Holds): Promise<void> {
  const people = (type: 'person' | 'company', count: number) =>
    Promise.all(Array.from({ length: count }, () => world.signsUp({ type, region: REGION })));
  const [one, two, three, four] = (await people('person', 4)) as [Person, Person, Person, Person];
  const [first, second, third, fourth] = (await people('company', 4)) as [Company, Company, Company, Company];
  const clock = () => world.now;

  await holds(identity.confirmSignUp, () => world.signsUp({ type: 'person', region: REGION }));
  await holds(identity.beginAuthorization, () => one.signsIn());
  await holds(identity.authorize, () => one.signsIn());
  await holds(tokens.issueToken, () => one.signsIn());

  for (const owner of [two, second]) {
    await owner.secondFactor.switchesOn(clock);
    await holds(owner === two ? personSecurity.renewPersonBackupCodes : accountSecurity.renewBackupCodes, () =>
      owner.secondFactor.renews(),
    );
  }
  for (const owner of [three, third]) {
    await owner.secondFactor.switchesOn(clock);
    await holds(owner === three ? personSecurity.endPersonSecondFactor : accountSecurity.endSecondFactor, () =>
      owner.secondFactor.switchesOff(),
    );
  }

  const body = (owner: { email: string; password: string }) => ({ body: { password: owner.password, email: `new.${owner.email}` } });
  await four.asks(personSecurity.requestPersonEmailChange, body(four));
  await fourth.asks(accountSecurity.requestEmailChange, body(fourth));
  const [ofPerson, ofCompany] = [await mailedTo(world, `new.${four.email}`), await mailedTo(world, `new.${fourth.email}`)];
  await holds(personSecurity.confirmPersonEmailChange, () =>
    four.asks(personSecurity.confirmPersonEmailChange, { body: { code: ofPerson } }),
  );
  await holds(accountSecurity.confirmEmailChange, () => fourth.asks(accountSecurity.confirmEmailChange, { body: { code: ofCompany } }));

  const [leaving] = (await people('person', 1)) as [Person];
  const [closing, asking] = (await people('company', 2)) as [Company, Company];
  await leaving.phone.requestsDeletion();
  await closing.asks(accountSecurity.requestDeletion, { body: { password: closing.password } });
  const [ofLeaving, ofClosing] = [await mailedTo(world, leaving.email), await mailedTo(world, closing.email)];
  await holds(phones.confirmPersonDeletion, () => leaving.phone.confirmsDeletion(ofLeaving));
  await holds(accountSecurity.confirmDeletion, () => closing.asks(accountSecurity.confirmDeletion, { body: { code: ofClosing } }));
  await holds(accountSecurity.requestDeletion, () => asking.asks(accountSecurity.requestDeletion, { body: { password: asking.password } }));

  for (const owner of [one, first]) {
    await owner.secondFactor.begins(clock);
    const code = await owner.secondFactor.code(1);
    await holds(owner === one ? personSecurity.confirmPersonSecondFactor : accountSecurity.confirmSecondFactor, () =>
      owner.secondFactor.confirms(code),
    );
  }
}

/** The code of the newest mail to an address. */
const mailedTo = (world: World, address: string): Promise<string> =>
  eventually(async () => (await world.mails()).find(({ to, code }) => to === address && code)?.code ?? undefined);
