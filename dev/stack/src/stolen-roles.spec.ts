import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { busUsers, internalConsumer } from '@codase/contracts';
import { DEMO } from './demo.ts';
import { DATABASES, REGIONS, ROOT } from './layout.ts';
import { STOLEN_ROLES } from './stolen-roles.ts';

const BUS_USERS = [...busUsers(REGIONS, [DEMO.service]), internalConsumer(DEMO.consumer, [DEMO.service])].map(({ user }) => user);
const DATABASE_ROLES = [
  ...DATABASES.flatMap((database) => ['owner', 'app'].map((role) => `${database}_${role}`)),
  ...REGIONS.map((region) => `region_${region}_delivery`),
];

describe('the list of stolen roles', () => {
  it('has each user of the bus and each role of a database once, and no others', () => {
    expect(STOLEN_ROLES.flatMap(({ busUsers = [] }) => busUsers).toSorted()).toEqual(BUS_USERS.toSorted());
    expect(STOLEN_ROLES.flatMap(({ databaseRoles = [] }) => databaseRoles).toSorted()).toEqual(DATABASE_ROLES.toSorted());
  });

  it.each(STOLEN_ROLES.map((role) => [role.name, role] as const))('says what %s has, and names specs that exist', (_, role) => {
    const { busUsers = [], databaseRoles = [], holds, can, cannot, shownBy, remains } = role;

    expect(busUsers.length + databaseRoles.length + (holds?.length ?? 0)).toBeGreaterThan(0);
    expect([can, cannot, remains].filter((text) => text.length < 5 || /[|\n]/.test(text))).toEqual([]);
    expect(shownBy.length).toBeGreaterThan(0);
    expect(shownBy.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
