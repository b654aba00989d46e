import { z } from 'zod';
import { idOr } from './text.ts';

/** The ids in paths. An id that cannot exist is answered as not found, so each id names the refusal of its kind. */
export const connectionId = idOr('company_data.connection_not_found').describe(
  'The id of a connection, from the list of connections or an event',
);
const documentId = idOr('documents.not_found').describe('The id of a document, from the list of documents or an event');
export const serviceId = idOr('services.not_found').describe('The id of a service of the company');
export const flowId = idOr('flows.not_found').describe('The id of a flow, as the portal shows it');
export const runId = idOr('flows.run_not_found').describe('The id of a run, from the list of runs or an event');
export const challengeId = idOr('twofa.challenge_not_found').describe('The id of a challenge, as it was answered when it was raised');
export const pluginId = idOr('plugins.not_found').describe('The id of a plugin of the company');

export const ofConnection = z.object({ connectionId });
export const ofDocument = z.object({ id: documentId });
export const ofService = z.object({ id: serviceId });
export const ofRun = z.object({ runId });
