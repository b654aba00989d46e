import { Module } from '@nestjs/common';
import { FrontDoorClients } from '../clients/index.ts';
import { FrontDoorIdentity } from '../identity/index.ts';
import { FrontDoorRegions } from '../regions/index.ts';
import { FrontDoorTokens } from '../tokens/index.ts';
import { Enrolments } from './enrolments.service.ts';
import { EnrolmentsStore } from './enrolments.store.ts';
import { FirstParty } from './first-party.service.ts';
import { SignInHttp } from './sign-in.http.ts';
import { SignIn } from './sign-in.service.ts';
import { SignInStore } from './sign-in.store.ts';

/** The page on which people and companies sign in, and persons enrol. */
@Module({
  imports: [FrontDoorRegions, FrontDoorIdentity, FrontDoorClients, FrontDoorTokens],
  controllers: [SignInHttp],
  providers: [SignInStore, SignIn, EnrolmentsStore, Enrolments, FirstParty],
})
export class SignInModule {}
