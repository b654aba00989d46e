import { Module } from '@nestjs/common';
import { RegionRegions } from '../regions/index.ts';
import { ContactFields } from './contact-fields.service.ts';
import { ContactFieldsStore } from './contact-fields.store.ts';
import { FieldTypesStore } from './field-types.store.ts';
import { FieldTypesView } from './field-types-view.service.ts';
import { OperatorFieldTypesBus } from './operator-field-types.bus.ts';
import { OperatorFieldTypes } from './operator-field-types.service.ts';
import { PublicKeysHttp } from './public-keys.http.ts';
import { RegistryHttp } from './registry.http.ts';

/** Where the operator adds types. */
@Module({ controllers: [OperatorFieldTypesBus], providers: [FieldTypesStore, OperatorFieldTypes] })
export class FrontDoorRegistry {}

/** Where everybody reads them, and owners add fields. */
@Module({
  imports: [RegionRegions],
  controllers: [RegistryHttp, PublicKeysHttp],
  providers: [FieldTypesView, ContactFieldsStore, ContactFields],
  exports: [FieldTypesView, ContactFields],
})
export class RegionRegistry {}
