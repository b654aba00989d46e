import { Module } from '@nestjs/common';
import { WhoamiHttp } from './whoami.http.ts';

@Module({ controllers: [WhoamiHttp] })
export class ServicesModule {}
