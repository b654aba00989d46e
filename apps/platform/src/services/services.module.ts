import { Module } from '@nestjs/common';
import { RegionRegions } from '../regions/index.ts';
import { LogsHttp } from './logs.http.ts';
import { RequestFieldsHttp } from './request-fields.http.ts';
import { RequestFields } from './request-fields.service.ts';
import { ServiceClientHttp } from './service-client.http.ts';
import { ServiceClients } from './service-client.service.ts';
import { ServicesHttp } from './services.http.ts';
import { Services } from './services.service.ts';
import { WhoamiHttp } from './whoami.http.ts';

/** Services of companies, what they ask, their data clients and their logs. @spec D1-2.4 @spec D1-2.6 */
@Module({
  imports: [RegionRegions],
  controllers: [WhoamiHttp, ServicesHttp, RequestFieldsHttp, ServiceClientHttp, LogsHttp],
  providers: [Services, RequestFields, ServiceClients],
})
export class ServicesModule {}
