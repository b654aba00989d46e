export { PeopleModule } from './people.module.ts';
export { addAccount, addProfile, addService, type Profile, type Service } from './provision.store.ts';
