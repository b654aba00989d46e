import { serviceConfig, type ServiceConfig } from '@cds/runtime/config';

export const Config = serviceConfig;
export type Config = ServiceConfig;
