import { Module } from '@nestjs/common';
import { Modes } from '../regions/index.ts';
import { MailWorker } from './mail.worker.ts';

/** Mail out. @spec D1-6.3 */
@Module({ providers: [Modes, MailWorker] })
export class MailModule {}
