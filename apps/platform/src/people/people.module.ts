import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/index.ts';
import { RegionRegions } from '../regions/index.ts';
import { RegionRegistry } from '../registry/index.ts';
import { ContactDataHttp } from './contact-data/contact-data.http.ts';
import { ContactData } from './contact-data/contact-data.service.ts';
import { VerificationsBus } from './contact-data/verifications.bus.ts';
import { AccountKeysHttp } from './profiles/account-keys.http.ts';
import { AccountHttp } from './profiles/account.http.ts';
import { ProfilesBus } from './profiles/profiles.bus.ts';
import { Profiles } from './profiles/profiles.service.ts';
import { ProfilesStore } from './profiles/profiles.store.ts';

/** What people and companies keep in their own profiles. */
@Module({
  imports: [RegionRegions, RegionRegistry, ConnectionsModule],
  controllers: [AccountHttp, AccountKeysHttp, ContactDataHttp, ProfilesBus, VerificationsBus],
  providers: [ProfilesStore, Profiles, ContactData],
})
export class PeopleModule {}
