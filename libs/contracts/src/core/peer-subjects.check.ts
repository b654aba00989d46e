// Compiled, never run: each line under @ts-expect-error must not compile.
import { z } from 'zod';
import { peerRead, peerWrite } from './peer-subjects.ts';

const shape = z.strictObject({
  user_id: z.string(),
  invited_user_id: z.string().optional(),
  customer: z.strictObject({ user_id: z.string() }),
  users: z.array(z.strictObject({ user_id: z.string() })),
  slug: z.string(),
});

peerRead('checked', { speaksFor: 'user_id' }, shape, z.null());
peerWrite('checked', { speaksFor: 'customer.user_id' }, shape, z.null());
peerRead('checked', { speaksFor: { nobody: 'anyone may read it' }, refusedWhilePaused: true }, shape, z.null());

// @ts-expect-error it does not say for whom the request is made
peerRead('checked', {}, shape, z.null());

// @ts-expect-error the member names no user
peerRead('checked', { speaksFor: 'slug' }, shape, z.null());

// @ts-expect-error the request has no such member
peerRead('checked', { speaksFor: 'person_user_id' }, shape, z.null());

// @ts-expect-error the member may be absent
peerRead('checked', { speaksFor: 'invited_user_id' }, shape, z.null());

// @ts-expect-error a list names several users
peerRead('checked', { speaksFor: 'users.user_id' }, shape, z.null());

// @ts-expect-error it does not say why it is made for nobody
peerRead('checked', { speaksFor: {} }, shape, z.null());
