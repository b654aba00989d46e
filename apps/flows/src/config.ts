import { databaseConfig, httpUrl, serviceConfig } from '@cds/runtime/config';
import { z } from 'zod';
import { Services } from './settings.ts';

export const Config = serviceConfig
  .extend(databaseConfig.shape)
  .extend({
    /**
     * {"shop": {"owner_parties": ["company"], "flows": {"*": {"overdue_after_hours": 48}}}}: the services whose runs are looked for, by
     * their names at the gateway, with the deadlines and rules of their flows. Events of a service that is not named are followed too.
     */
    SERVICES: Services.default({}),
    /** How often the platform is asked which runs await the company, to find those whose event was lost. */
    POLL_SECONDS: z.coerce.number('seconds').min(0.05, 'seconds, 0.05 or more').max(3600, 'seconds, up to 3600').default(60),
    /** The gateway's HTTP server, for files of customers that are too long for the bus; absent, they must fit into a message. */
    GATEWAY_URL: httpUrl.optional(),
    /** What the gateway's operator gave this service in its CALLERS. */
    GATEWAY_TOKEN: z.string('a token of the gateway').min(32, 'a token of 32 characters or more').optional(),
  })
  .refine(({ GATEWAY_URL, GATEWAY_TOKEN }) => (GATEWAY_URL === undefined) === (GATEWAY_TOKEN === undefined), {
    path: ['GATEWAY_TOKEN'],
    error: 'a token beside GATEWAY_URL, and none without it',
  });
export type Config = z.infer<typeof Config>;

/** Where the gateway has its HTTP server, where there is one. */
export const GATEWAY = Symbol('Gateway');
export const gatewayOf = ({ GATEWAY_URL: url, GATEWAY_TOKEN: token }: Config) =>
  url === undefined || token === undefined ? undefined : { url, token };
