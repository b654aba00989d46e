import { Module } from '@nestjs/common';
import { FrontDoorRegions, HOMES } from '../regions/index.ts';
import { AccountsBus } from './accounts/accounts.bus.ts';
import { Accounts } from './accounts/accounts.service.ts';
import { AccountsStore } from './accounts/accounts.store.ts';
import { HandOverWorker } from './sign-up/hand-over.worker.ts';
import { SignUpHttp } from './sign-up/sign-up.http.ts';
import { SignUpService } from './sign-up/sign-up.service.ts';
import { SignUpStore } from './sign-up/sign-up.store.ts';

/** Accounts, and signing up for one. */
@Module({
  imports: [FrontDoorRegions],
  controllers: [SignUpHttp, AccountsBus],
  providers: [AccountsStore, Accounts, { provide: HOMES, useExisting: Accounts }, SignUpStore, SignUpService, HandOverWorker],
  exports: [AccountsStore, Accounts, HOMES],
})
export class FrontDoorIdentity {}
