import { Module } from '@nestjs/common';
import { FrontDoorAccess, RegionAccess } from '../access/index.ts';
import { AccountKeysHttp } from './profiles/account-keys.http.ts';
import { AccountHttp } from './profiles/account.http.ts';
import { Profiles } from './profiles/profiles.service.ts';
import { ProfilesStore } from './profiles/profiles.store.ts';
import { HandOverWorker } from './sign-up/hand-over.worker.ts';
import { SignUpHttp } from './sign-up/sign-up.http.ts';
import { SignUpService } from './sign-up/sign-up.service.ts';
import { SignUpStore } from './sign-up/sign-up.store.ts';

/** Where people come in. */
@Module({ imports: [FrontDoorAccess], controllers: [SignUpHttp], providers: [SignUpStore, SignUpService, HandOverWorker] })
export class FrontDoorPeople {}

/** Where they live. */
@Module({ imports: [RegionAccess], controllers: [AccountHttp, AccountKeysHttp], providers: [ProfilesStore, Profiles] })
export class RegionPeople {}
