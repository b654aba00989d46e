import { contentOf, page, seenIn, shows, stream, textIn } from '../../test/tagged-pdf.ts';
import { fill } from './fill.ts';

const text = (at: string, shown: string) => `BT /F1 12 Tf ${at} Td (${shown}) Tj ET\n`;
/** Returns the pieces with a text, by that text. */
async function seenBy(pdf: Buffer, values: Record<string, string>) {
  const seen = seenIn(await fill(pdf, values));
  return (part: string) => seen.find((piece) => piece.text.includes(part))!;
}

const LONG = 'Maximilian Alexander von Hohenzollern-Sigmaringen';

describe('a value drawn into a PDF @spec D2-4.3.6 @gap D2-4.3', () => {
  it('replaces its tag at the same position and size and shifts the rest of the line', async () => {
    const pdf = page(text('72 700', 'I am {{name}} and') + text('173 700', 'glad.') + text('72 680', 'Below'));
    const before = await seenBy(pdf, { name: '{{name}}' });
    const after = await seenBy(pdf, { name: 'Ana' });

    expect(after('Ana')).toMatchObject({ at: after('I am').end, base: 700, em: 12 });
    expect(after(' and').at).toBeCloseTo(after('Ana').end, 2);
    const narrower = before('{{name}}').end - before('{{name}}').at - (after('Ana').end - after('Ana').at);
    expect(before('glad').at - after('glad').at).toBeCloseTo(narrower, 2);
    expect(after('Below').at).toBe(72);
  });

  it('keeps the kerning to the text that follows it', async () => {
    const pdf = shows('[({{name}}) 30 (, hello)] TJ');

    for (const name of ['A', 'Ana Maria Lindström']) {
      const seen = await seenBy(pdf, { name });
      expect(seen(', hello').at).toBeCloseTo(seen(name).end - 0.03 * 12, 2);
    }
  });

  it('does not shift text in another column or behind a ruled line', async () => {
    const pdf = page(`${text('72 700', '{{name}}')}140 690 m 140 720 l S ${text('142 700', 'cell')}${text('300 700', 'column')}`);
    const seen = await seenBy(pdf, { name: 'Ana Lind' });

    expect(seen('cell').at).toBe(142);
    expect(seen('column').at).toBe(300);
  });

  it('does not shift text placed separately nearby, as in a table without lines', async () => {
    const end = seenIn(page(text('72 700', '{{name}}')))[0]!.end;
    const seen = await seenBy(page(text('72 700', '{{name}}') + text(`${end + 12} 700`, 'cell')), { name: 'A' });

    expect(seen('cell').at).toBe(end + 12);
  });

  it.each([
    ['a rectangle', '60 600 200 200 re W n'],
    ['a path with a curve', '60 600 m 260 600 l 260 800 90 800 60 800 c h W* n'],
  ])('stays within a clipping region made of %s', async (_, clip) => {
    const values = { name: LONG };
    const lines = seenIn(await fill(page(`q ${clip} ${text('72 700', '{{name}}')} Q`), values));

    expect(lines.map(({ text }) => text).join(' ')).toBe(LONG);
    expect(Math.max(...lines.map(({ end }) => end))).toBeLessThan(260.01);
    expect(seenIn(await fill(page(`q ${clip} Q ${text('72 700', '{{name}}')}`), values))).toHaveLength(1);
  });

  it('keeps the width of a justified line, for both ways of drawing spaces', async () => {
    const words = 'between {{name}} and the company and all of its other employees';
    const blanks = `3 Tw (${words}) Tj`;
    const moves = `[${words
      .split(' ')
      .map((word) => `(${word})`)
      .join(' -500 ')}] TJ`;
    for (const line of [blanks, moves]) {
      const pdf = page(`BT /F1 12 Tf 72 700 Td ${line} 0 -14 Td ${line} ET`);
      const { end } = seenIn(pdf)[0]!;
      for (const name of ['Ana', 'Anna Lindh']) {
        const lines = seenIn(await fill(pdf, { name })).filter(({ text }) => text.includes('employees'));
        expect(lines.map((piece) => piece.end)).toEqual([expect.closeTo(end, 2), expect.closeTo(end, 2)]);
      }
    }
  });

  it('extends to the left when there is no space on the right', async () => {
    const seen = await seenBy(page(text('72 500', 'Left') + text('520 700', '{{sum}}')), { sum: '1,234,567,890.00 EUR' });

    expect(seen('1,234').at).toBeLessThan(500);
    expect(seen('1,234').end).toBeLessThan(612);
    expect(seen('1,234').em).toBe(12);
  });

  it('keeps the left alignment with the text above when it is wrapped or condensed', async () => {
    const column = text('72 720', 'Left') + text('400 720', 'Signature');
    const wrapped = await seenBy(page(column + text('400 700', '{{name}}')), { name: LONG });
    const narrower = await seenBy(page(column + text('400 700', '{{name}} here')), { name: 'Maximilian Alexander Hohenzo' });

    expect(wrapped('Maximilian').at).toBeCloseTo(400, 2);
    expect(narrower('Maximilian').at).toBeCloseTo(400, 1);
  });

  it('keeps the right or centred alignment with the lines around it', async () => {
    const lines = text('72 740', 'A line of text that goes from the one side of this page to the other one.');
    const end = seenIn(page(lines))[0]!.end;
    const [total] = seenIn(page(text('0 0', '{{total}}')));
    const right = text(`${end - total!.end} 700`, '{{total}}');
    const centre = text(`${(72 + end - total!.end) / 2} 680`, '{{total}}');
    const seen = seenIn(await fill(page(lines + right + centre), { total: '1.00' }));

    expect(seen[1]!.end).toBeCloseTo(end, 2);
    expect(seen[2]!.at + seen[2]!.end).toBeCloseTo(72 + end, 2);
  });

  it('keeps the right alignment even when a word of another line begins at the same position', async () => {
    const widths = Object.fromEntries(
      ['{{total}}', '{{bonus_b}}', 'Letters are shown'].map((part) => [part, seenIn(page(text('0 0', part)))[0]!.end]),
    );
    const amounts = text(`${500 - widths['{{total}}']!} 700`, '{{total}}') + text(`${500 - widths['{{bonus_b}}']!} 680`, '{{bonus_b}}');
    const at = 500 - widths['{{total}}']!;
    const words = text(`${at - widths['Letters are shown']! - 4} 640`, 'Letters are shown') + text(`${at} 640`, 'by themselves');
    const seen = await seenBy(page(text('72 600', 'Left') + amounts + words), { total: '5.00', bonus_b: '1,234.00' });

    expect(seen('5.00').end).toBeCloseTo(500, 2);
    expect(seen('1,234').end).toBeCloseTo(500, 2);
  });

  it('condenses its line when the line would otherwise leave the page', async () => {
    const pdf = page(text('72 700', 'This is a contract between {{name}} and the company, both of them of sound mind.'));
    const filled = await fill(pdf, { name: LONG });

    expect(textIn(filled)).toBe(`This is a contract between ${LONG} and the company, both of them of sound mind.`);
    expect(Math.max(...seenIn(filled).map(({ end }) => end))).toBeLessThan(612);
  });

  it('is drawn smaller in a narrow cell, and refused before it becomes unreadable', async () => {
    const pdf = page(`70 690 100 30 re S ${text('72 700', '{{name}}')}`);
    const seen = await seenBy(pdf, { name: 'Ana Maria Lindström' });

    expect(seen('Ana').end).toBeLessThan(170);
    await expect(fill(pdf, { name: LONG.repeat(9) })).rejects.toMatchObject({ reason: 'overflow' });
  });

  it('keeps its line breaks when there is space below', async () => {
    const seen = await seenBy(page(text('72 700', 'To: {{to}}') + text('72 600', 'Dear')), { to: 'Ana Lind\r\nMain Street 1\nMalmö' });

    expect([seen('Ana'), seen('Main'), seen('Malmö')].map(({ base }) => base)).toEqual([
      700,
      expect.closeTo(685.6, 3),
      expect.closeTo(671.2, 3),
    ]);
    expect(seen('Main').at).toBeCloseTo(seen('Ana').at, 2);
    expect(seen('Dear')).toMatchObject({ at: 72, base: 600 });
  });

  it('is drawn on one line when there is no space below', async () => {
    const filled = await fill(page(text('72 700', 'To: {{to}}') + text('72 686', 'Dear friend, all the best')), { to: 'Ana\nMalmö' });

    expect(textIn(filled)).toBe('To: Ana MalmöDear friend, all the best');
  });

  it('is wrapped into free space below without covering other values', async () => {
    const words = 'a few words '.repeat(30).trim();
    const filled = await fill(page(text('72 700', '{{a}}') + text('72 600', '{{b}}') + text('72 500', 'End')), { a: words, b: words });

    const lines = seenIn(filled);
    expect(lines.map(({ text }) => text).join(' ')).toBe(`${words} ${words} End`);
    const bases = lines.map(({ base }) => base);
    expect(bases).toEqual(bases.toSorted((a, b) => b - a));
    expect(new Set(bases).size).toBe(bases.length);
    expect(Math.max(...lines.map(({ end }) => end))).toBeLessThan(612);
  });

  const cell = (width: number, height: number) => `70 690 ${width} ${height} re S ${text(`72 ${675 + height}`, '{{a}}')}`;

  it.each([
    ['an amount before another column', text('72 700', '{{a}}') + text('125 700', 'EUR per month'), '1234567.89'],
    ['an amount in a cell', cell(40, 60), '12,345.67'],
    ['an amount with spaces', cell(40, 60), '-1 234 567,89'],
    ['an amount with spaces at which no line is broken', cell(60, 40), '1\u202f234\u202f567,89\u00a0€'],
    ['a date', cell(50, 60), '2026-11-18'],
    ['an IBAN', cell(120, 40), 'DE89370400440532013000'],
    ['an IBAN with spaces', cell(120, 40), 'GB29 NWBK 6016 1331 9268 19'],
    ['an address with a number', cell(100, 60), 'ana.lind.1987@example.org'],
  ])('is not broken when it is %s', async (_, content, value) => {
    const pieces = seenIn(await fill(page(content), { a: value })).map((piece) => piece.text);

    expect(pieces.filter((piece) => !content.includes(piece))).toEqual([value.replace(/[\u202f\u00a0]/g, ' ')]);
  });

  it('is broken at ordinary spaces and keeps numbers whole', async () => {
    const words = 'Paid 1 234 567,89 EUR to DE89 3704 0044 0532 0130 00 on the 1\u00a0st of May';
    const lines = seenIn(await fill(page(cell(150, 200)), { a: words })).map((line) => line.text);

    expect(lines.length).toBeGreaterThan(2);
    expect(lines.join(' ')).toBe(words.replace('\u00a0', ' '));
    for (const whole of ['1 234 567,89', 'DE89 3704 0044 0532 0130 00', '1 st'])
      expect(lines.some((line) => line.includes(whole))).toBe(true);
  });

  it('is broken inside a word only when the word fits at no size, and never inside a number', async () => {
    const word = 'Rindfleischetikettierung'.repeat(8);
    const address = `https://example.org/${'path/123/'.repeat(20)}`;

    for (const value of [word, address]) {
      const lines = seenIn(await fill(page(cell(100, 300)), { a: value })).map((line) => line.text);
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.join('')).toBe(value);
    }
    await expect(fill(page(cell(30, 300)), { a: '1'.repeat(40) })).rejects.toMatchObject({ reason: 'overflow' });
  });

  it.each([
    ['a picture', '/Subtype /Image', 'q 100 0 0 50 120 690 cm /X Do Q'],
    ['a form', '/Subtype /Form /BBox [0 0 300 50]', 'q 1 0 0 1 120 690 cm /X Do Q'],
    ['a form that moves itself', '/Subtype /Form /BBox [0 0 30 50] /Matrix [1 0 0 1 120 690]', '/X Do'],
  ])('is not drawn over %s beside it or below it', async (_, entries, drawn) => {
    const resources = '/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>';
    const objects = { 3: `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${resources} >>`, 6: stream('', entries) };
    const beside = seenIn(await fill(page(text('72 700', '{{name}}') + drawn, objects), { name: 'Ana Lindström of Lund' }));
    const above = seenIn(await fill(page(text('122 750', '{{name}}') + drawn, objects), { name: LONG.repeat(3) }));

    expect(Math.max(...beside.map(({ end }) => end))).toBeLessThan(120);
    expect(Math.min(...above.map(({ base }) => base))).toBeGreaterThan(740);
  });

  it('is not drawn over text beside it with the same rotation, however the rotation is written', async () => {
    const turned = (matrix: string, at: string, shown: string) => `q ${matrix} 600 780 cm ${text(at, shown)} Q `;
    const tag = turned('-1 0 0 -1', '72 700', '{{name}}');
    for (const matrix of ['-1 0 0 -1', '-1 -0 0 -1', '-1 -0.00001 0 -1']) {
      const seen = await seenBy(page(tag + turned(matrix, '150 700', 'second')), { name: 'Maximilian Alexander' });
      expect(seen('Maximilian').end).toBeLessThan(seen('second').at);
    }
  });

  it('is drawn twice when its tag is drawn twice for a bold effect', async () => {
    const twice = text('72 700', 'I am {{name}} now') + text('72.3 700', 'I am {{name}} now');
    const seen = seenIn(await fill(page(twice), { name: 'Ana' }));

    expect(seen.map(({ text }) => text)).toEqual(['I am ', 'Ana', ' now', 'I am ', 'Ana', ' now']);
    expect(seen[5]!.at - seen[2]!.at).toBeCloseTo(0.3, 2);
  });

  it('stays on its line on a rotated and scaled page', async () => {
    const turned = 'q 0 2 -2 0 400 100 cm BT /F1 6 Tf 1 0 0 1 10 20 Tm (Up {{name}} now) Tj ET Q';
    const seen = await seenBy(page(turned), { name: 'Ana' });

    expect(seen('Ana')).toMatchObject({ em: 12, at: seen('Up').end, base: -360 });
    expect(seen(' now').at).toBeCloseTo(seen('Ana').end, 2);
  });

  it('does not shift text in a font that the page does not define', async () => {
    const content = contentOf(await fill(shows('(I am {{name}}) Tj /F9 12 Tf (unknown) Tj'), { name: 'Ana' }));

    expect(content).toMatch(/\[[\d.-]+\] TJ \(unknown\) Tj/);
  });

  it('keeps the spacing, scale and rise of the surrounding text', async () => {
    const filled = await fill(shows('2 Tc 5 Tw 80 Tz 3 Ts (a b {{name}} c d) Tj T* (next line) Tj'), { name: 'x y' });
    const pieces = seenIn(filled);

    expect(pieces.map(({ text }) => text)).toEqual(['a b ', 'x y', ' c d', 'next line']);
    expect(pieces.every(({ base }) => base === 703)).toBe(true);
    const [plain] = seenIn(shows('2 Tc 5 Tw 80 Tz ( c d) Tj'));
    expect(pieces[2]!.end - pieces[2]!.at).toBeCloseTo(plain!.end - plain!.at, 2);
  });

  it('changes only the bytes of its own line', async () => {
    const [before, after] = ['q 1 0 0 1 0 0 cm % a remark\n0.5 g\n/Im Do BI /W 1 /H 1 ID \x01(({{name}} EI Q\n', '\n0 0 9 9 re\tf'];
    const content = contentOf(await fill(page(`${before}${text('72 700', '{{name}}')}${after}`), { name: 'Ana' }));

    expect(content.startsWith(before)).toBe(true);
    expect(content).toContain(after);
  });

  it('replaces a tag that contains 150,000 spaces', async () => {
    const filled = await fill(shows(`({{${' '.repeat(150_000)}name}}) Tj`), { name: 'Ana' });

    expect(textIn(filled)).toBe('Ana');
  });

  it('is drawn from right to left in a right-to-left script', async () => {
    const filled = await fill(shows('(Name: {{name}}.) Tj'), { name: 'שלום' });

    expect(textIn(filled)).toBe('Name: םולש.'); // in the order in which it is drawn
  });

  it('removes the ActualText of the marked content around its tag', async () => {
    const said = '/Span << /ActualText (I am {{name}}) /MCID 3 >> BDC';
    const filled = await fill(page(`${said} ${text('72 700', 'I am {{name}}')} EMC /Span << /ActualText (Kept) >> BDC EMC`), {
      name: 'Ana',
    });

    const content = contentOf(filled);
    expect(content).toContain('/Span << /MCID 3 >> BDC');
    expect(content).toContain('/ActualText (Kept)');
    expect(content).not.toContain('{{');
  });
});
