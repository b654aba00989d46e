import { DEMO } from '@codase/stack';
import type { BenchStack } from './bench-stack.ts';
import type { RunStatement } from './database.ts';

export interface ShopPerson {
  user_id: string;
  share_code: string;
  connection_id: string;
  token: string;
}

/** Adds copies of a demo person, who are connected to the shop. Number n is `usr_bn`, with the share code `Bn`. */
export async function addShopPersons(stack: BenchStack, run: RunStatement, count: number): Promise<ShopPerson[]> {
  await run`
    insert into profile
    select (jsonb_populate_record(p, jsonb_build_object('user_id', 'usr_b' || n, 'share_code', 'B' || n))).*
      from profile p, generate_series(0, ${count - 1}::int) n where p.user_id = 'usr_demo_ana'`;
  await run`
    insert into connection (connection_id, company_user_id, service_id, customer_user_id, customer_type, display_name, share_code,
                            public_key, connected_at)
    select 'con_b' || n, ${DEMO.keys.account}, ${DEMO.keys.shop}, 'usr_b' || n, 'person', 'B', 'B' || n, ${stack.shopPublicKey}, now()
      from generate_series(0, ${count - 1}::int) n`;
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const user_id = `usr_b${n}`;
      return { user_id, share_code: `B${n}`, connection_id: `con_b${n}`, token: await stack.mint('app_person', user_id) };
    }),
  );
}

export async function addPhoneOwners(run: RunStatement, count: number): Promise<Pick<ShopPerson, 'user_id' | 'share_code'>[]> {
  const persons = Array.from({ length: count }, (_, nth) => ({ user_id: `usr_phone_${nth}`, share_code: `PHONE${nth}` }));
  await run`
    insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
    select user_id, 'person', 'Phone', 'en', share_code, '', now()
      from json_to_recordset(${JSON.stringify(persons)}) as p (user_id text, share_code text)`;
  return persons;
}
