/**
 * Returns an expression for the contrast of an element, as WCAG computes it, against the nearest background that is not transparent. The
 * canvas has the background of the colour scheme.
 */
export const contrastOf = (selector: string) => `(() => {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.background = 'Canvas';
  const canvas = getComputedStyle(probe).backgroundColor;
  probe.remove();
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const weigh = (sum, c, i) => sum + linear(c / 255) * [0.2126, 0.7152, 0.0722][i];
  const light = (color) => channels(color).slice(0, 3).reduce(weigh, 0);
  const element = document.querySelector('${selector}');
  const background = (e) => getComputedStyle(e).backgroundColor;
  const behind = (e) => !e ? canvas : channels(background(e))[3] === 0 ? behind(e.parentElement) : background(e);
  const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})()`;
