export { PEOPLE } from './capability.ts';
export { addAccount, addProfile, addService, type Profile, type Service } from './provision.store.ts';
