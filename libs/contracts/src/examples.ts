import { appEventsExamples } from './app-events/examples.ts';
import { auditExamples } from './audit/examples.ts';
import { clientsExamples } from './clients/examples.ts';
import { connectionsExamples } from './connections/examples.ts';
import { discoveryExamples } from './discovery/examples.ts';
import { documentsExamples } from './documents/examples.ts';
import { feedExamples } from './feed/examples.ts';
import { flowsExamples } from './flows/examples.ts';
import { identityExamples } from './identity/examples.ts';
import { messagesExamples } from './messages/examples.ts';
import { peopleExamples } from './people/examples.ts';
import { pluginsExamples } from './plugins/examples.ts';
import { regionsExamples } from './regions/examples.ts';
import { registryExamples } from './registry/examples.ts';
import { sealsExamples } from './seals/examples.ts';
import { servicesExamples } from './services/examples.ts';
import { tokensExamples } from './tokens/examples.ts';
import { twofaExamples } from './twofa/examples.ts';
import { verificationExamples } from './verification/examples.ts';
import { webhooksExamples } from './webhooks/examples.ts';
import type { Examples } from './core/example.ts';

/** An example of every endpoint, by its name. */
export const EXAMPLES: Examples = {
  ...appEventsExamples,
  ...auditExamples,
  ...clientsExamples,
  ...connectionsExamples,
  ...discoveryExamples,
  ...documentsExamples,
  ...feedExamples,
  ...flowsExamples,
  ...identityExamples,
  ...messagesExamples,
  ...peopleExamples,
  ...pluginsExamples,
  ...regionsExamples,
  ...registryExamples,
  ...sealsExamples,
  ...servicesExamples,
  ...tokensExamples,
  ...twofaExamples,
  ...verificationExamples,
  ...webhooksExamples,
};
