// The signs of the player, 16 by 16.

const ICONS = {
  back: 'M11.5 3v10L5 8zM3 3h1.5v10H3z',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  next: 'M4.5 3v10L11 8zM11.5 3H13v10h-1.5z',
  confirmed: 'M6.3 12.4 2.4 8.5l1.2-1.2 2.7 2.7 6.1-6.1 1.2 1.2z',
  seeking: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zm0 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM7.2 5h1.5v3.6H7.2z',
  unconfirmed: 'M8 1.5 15 14H1zM7.2 6v4h1.6V6zm0 5v1.5h1.6V11z',
};

/**
 * @param {string} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}
