export { REGISTRY } from './capability.ts';
export { ContactFields } from './contact-fields.service.ts';
export { FieldTypesView } from './field-types-view.service.ts';
export { FieldTypesStore } from './field-types.store.ts';
export { FIELD_TYPES } from './field-type-rows.ts';
export { type ContactField } from './system-fields.ts';
