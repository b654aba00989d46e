const indents = Array.from({ length: 13 }, (_, depth) => `.indent-${depth} { padding-left: ${depth * 0.75}rem; }`).join('\n');

export const BOARD_CSS = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f3ec, #12160f); --sheet: light-dark(#fffdf8, #1a1f17); --ink: light-dark(#1c2119, #eceee4);
  --quiet: light-dark(#50574a, #b2b9a8); --line: light-dark(#d8d2c2, #333b2d); --act: light-dark(#0d6b57, #63d3b4);
  --ok: light-dark(#1d6b2f, #7fd893); --warn: light-dark(#8a4b00, #f2b765); --bad: light-dark(#a5231c, #ff9d92);
  --platform: light-dark(#5a3fb5, #b9a6ff); --suite: light-dark(#0d6b57, #63d3b4); --company: light-dark(#8a4b00, #f2b765);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 75rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1875rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; font-weight: 600; }
.quiet { color: var(--quiet); margin: 0 0 1rem; }
a { color: var(--act); }
.figures { list-style: none; padding: 0; margin: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem; }
.figures li { background: var(--sheet); border: 1px solid var(--line); border-top: 4px solid var(--state); }
.figures li { border-radius: 6px; padding: 1rem; }
.figures p { margin: .25rem 0 0; overflow-wrap: anywhere; }
.figures .value { font-size: 1.75rem; font-variant-numeric: tabular-nums; }
.figures .state { color: var(--state); font-weight: 600; }
.well { --state: var(--ok); } .look { --state: var(--warn); } .bad { --state: var(--bad); }
strong.bad { color: var(--bad); }
table { width: 100%; border-collapse: collapse; background: var(--sheet); border: 1px solid var(--line); }
th, td { text-align: left; padding: .5rem .75rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bars { list-style: none; padding: 0; margin: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 6px; }
.bars li { display: grid; gap: .75rem; align-items: center; padding: .25rem .75rem; }
.bars li { grid-template-columns: minmax(12rem, 2fr) 3fr 5rem 7rem; }
.bars .label { font-size: .8125rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars svg { width: 100%; height: 1rem; }
.bars .quiet { margin: 0; font-size: .8125rem; }
.platform rect { fill: var(--platform); } .suite rect { fill: var(--suite); } .company rect { fill: var(--company); }
.failed .label { color: var(--bad); font-weight: 600; } .failed rect { fill: var(--bad); }
@media (max-width: 40rem) {
  .bars li { grid-template-columns: 1fr 5rem; }
  .bars svg { grid-row: 2; grid-column: 1 / -1; }
  .bars .quiet { display: none; }
}
${indents}
`;
