import { Module } from '@nestjs/common';
import { ApiDocumentHttp } from './api-document.http.ts';
import { DiscoveryHttp } from './discovery.http.ts';

/** What the front door says of itself and of the API. */
@Module({ controllers: [DiscoveryHttp, ApiDocumentHttp] })
export class DiscoveryModule {}
