import fc from 'fast-check';
import { withoutHtml } from './html.ts';

describe('removal of HTML @spec D2-2.6', () => {
  it.each([
    ['a <b>bold</b> word', 'a bold word'],
    ['<script>alert(1)</script>', 'alert(1)'],
    ['x<br/>y', 'xy'],
    ['<!-- hidden -->shown', 'shown'],
    ['<?xml version="1.0"?>text', 'text'],
    ['<!DOCTYPE html>text', 'text'],
    ['<<b>script>alert(1)<</b>/script>', 'alert(1)'],
    ['<a href="x"\nonclick="y">z</a>', 'z'],
    ['<img src=x onerror=alert(1)>', ''],
  ])('turns %j into %j', (source, left) => {
    expect(withoutHtml(source)).toBe(left);
  });

  it.each(['1 < 2 > 0', 'a > b', '3 <4 and 5> 2', '<', '>', '<script', '', '<3', 'x <> y', '&lt;b&gt;'])(
    'leaves %j unchanged',
    (source) => {
      expect(withoutHtml(source)).toBe(source);
    },
  );

  it('never leaves a complete tag', () => {
    const piece = fc.constantFrom('<', '>', '/', 'b', 'script', '!', '?', ' ', 'x="');
    const pieces = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(pieces, (source) => {
        expect(withoutHtml(source)).not.toMatch(/<[A-Za-z/!?][^<>]*>/);
      }),
      { numRuns: 1000 },
    );
  });
});
