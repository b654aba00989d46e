import { z } from 'zod';
import { nameOfPeer, peerRead, peerWrite, userSpokenFor } from './peer-subjects.ts';

const shape = z.strictObject({ customer: z.strictObject({ user_id: z.string() }) });

describe('a subject between regions', () => {
  it('names the region that answers, and says whether it reads or writes', () => {
    const read = peerRead('read_thing', { speaksFor: 'customer.user_id' }, shape, z.null());
    const write = peerWrite('write_thing', { speaksFor: 'customer.user_id' }, shape, z.null());

    expect([read.pattern, read.kind]).toEqual(['codase.peer.v1.{region}.read_thing', 'read']);
    expect([write.pattern, write.kind]).toEqual(['codase.peer.v1.{region}.write_thing', 'write']);
    expect(nameOfPeer(read)).toBe('read_thing');
    expect([read.message, read.reply?.safeParse(null).success, read.reply?.safeParse('more').success]).toEqual([shape, true, false]);
  });

  it('says which user a request is made for', () => {
    const forCustomer = peerRead('read_thing', { speaksFor: 'customer.user_id' }, shape, z.null());
    const forNobody = peerRead('read_thing', { speaksFor: { nobody: 'anyone may read it' } }, shape, z.null());

    expect(userSpokenFor(forCustomer, { customer: { user_id: 'usr_1' } })).toBe('usr_1');
    expect(userSpokenFor(forNobody, { customer: { user_id: 'usr_1' } })).toBeUndefined();
  });
});
