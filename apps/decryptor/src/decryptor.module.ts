import { Module } from '@nestjs/common';
import { OpenService } from './open/open.service.ts';

@Module({ providers: [OpenService] })
export class DecryptorModule {}
