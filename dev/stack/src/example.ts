import type { DatabaseUrls } from '@codase/servers';
import { DEMO } from './demo.ts';
import { ROOT } from './layout.ts';
import { gatewayToken, gatewayUrl, hiddenEnv, type StackSettings, type Unit } from './units.ts';

export const EXAMPLE_DATABASE = 'shop_backend';

/** The file that runs the example service. */
export const EXAMPLE_ENTRY = `${ROOT}examples/shop-backend/dist/main.js`;

/** The example service, run beside the stack as a company would run its own. It is no part of the suite, and the suite does not need it. */
interface ExampleUnit extends Omit<Unit, 'name'> {
  name: typeof DEMO.consumer;
  /** Its output is what the demo shows. */
  shown: true;
}

/** Describes the example service. It manages its own tables, so it gets the role that may create them. */
export function describeExample({ ports, secrets, nats, traces }: StackSettings, database: DatabaseUrls): ExampleUnit {
  const { user = DEMO.consumer, password } = nats.credentials(DEMO.consumer);
  const hidden = { DATABASE_URL: database.owner, GATEWAY_TOKEN: gatewayToken(secrets), ...(password && { NATS_PASSWORD: password }) };
  return {
    name: DEMO.consumer,
    entry: EXAMPLE_ENTRY,
    imports: [`${ROOT}examples/shop-backend/dist/telemetry.js`],
    opsPort: ports.example,
    shown: true,
    needs: ['gateway', 'feed-consumer', 'decryptor'],
    env: {
      NODE_ENV: 'development',
      OTEL_SERVICE_NAME: DEMO.consumer,
      ...(traces && { OTEL_EXPORTER_OTLP_ENDPOINT: traces, OTEL_BSP_SCHEDULE_DELAY: '300' }),
      OPS_PORT: String(ports.example),
      NATS_URL: nats.url,
      NATS_USER: user,
      SERVICE: DEMO.service,
      GATEWAY_URL: gatewayUrl(ports),
      ...hiddenEnv(DEMO.consumer, hidden, secrets),
    },
  };
}
