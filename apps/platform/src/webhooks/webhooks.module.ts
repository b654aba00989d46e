import { Module } from '@nestjs/common';
import { RegionRegions } from '../regions/index.ts';
import { WebhooksHttp } from './webhooks.http.ts';
import { Webhooks } from './webhooks.service.ts';

/** Webhooks and how they are configured. @spec D1-2.9 */
@Module({ imports: [RegionRegions], controllers: [WebhooksHttp], providers: [Webhooks] })
export class WebhooksModule {}
