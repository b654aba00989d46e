export { FrontDoorPeople, RegionPeople } from './people.module.ts';
export { addAccount, addProfile, addService, type Profile, type Service } from './provision.store.ts';
