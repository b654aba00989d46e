import { Module } from '@nestjs/common';
import { FrontDoorAccess, RegionAccess } from '../access/index.ts';
import { ConnectionsModule } from '../connections/index.ts';
import { RegionRegistry } from '../registry/index.ts';
import { ContactDataHttp } from './contact-data/contact-data.http.ts';
import { ContactData } from './contact-data/contact-data.service.ts';
import { Verified } from './contact-data/verified.service.ts';
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
@Module({
  imports: [RegionAccess, RegionRegistry, ConnectionsModule],
  controllers: [AccountHttp, AccountKeysHttp, ContactDataHttp],
  providers: [ProfilesStore, Profiles, ContactData, Verified],
})
export class RegionPeople {}
