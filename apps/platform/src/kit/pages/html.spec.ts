import { html } from './html.ts';

describe('html template', () => {
  it('escapes every text, in attributes and in content', () => {
    expect(html`<p title="${'"\'&'}">${'<b>'}</p>`.text).toBe('<p title="&quot;&#39;&amp;">&lt;b&gt;</p>');
  });

  it('inserts markup and lists of markup unchanged, and nothing for undefined', () => {
    expect(html`<ul>${['a', '<'].map((item) => html`<li>${item}</li>`)}</ul>${undefined}${html`<hr>`}`.text).toBe(
      '<ul><li>a</li><li>&lt;</li></ul><hr>',
    );
  });
});
