import { Module } from '@nestjs/common';
import { OpenBus } from './open/open.bus.ts';
import { OpenService } from './open/open.service.ts';

@Module({ controllers: [OpenBus], providers: [OpenService] })
export class DecryptorModule {}
