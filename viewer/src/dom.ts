// Elements in one line each, and the icons.
type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const paths = {
  play: 'M7 4.5v15l13-7.5z',
  pause: 'M6 4.5h4.5v15H6zM13.5 4.5H18v15h-4.5z',
  back: 'M16 5v14L7 12zM4.5 5H7v14H4.5z',
  forward: 'M8 5v14l9-7zM17 5h2.5v14H17z',
  reset: 'M12 5a7 7 0 1 1-6.6 4.7l2 .7A5 5 0 1 0 12 7v3.2L7 6.1 12 2z',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18v-2a7 7 0 0 0 0-14z',
  layers: 'M12 3l10 5.5L12 14 2 8.5zM4.6 12.2 12 16.2l7.4-4L22 13.7 12 19.2 2 13.7z',
  chart: 'M3 3h2v16h16v2H3zM7.5 16.5l-1.4-1.4L11 10l3.5 3.5L19.6 8 21 9.4l-6.5 7-3.5-3.5z',
  home: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  help: 'M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20zm0 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm-1.1 11.4h2.2v2.2h-2.2zM12 6.4c2.1 0 3.7 1.3 3.7 3.2 0 2.4-2.6 2.7-2.6 4.4h-2.1c0-2.9 2.6-3 2.6-4.4 0-.8-.7-1.3-1.6-1.3-1 0-1.7.6-1.8 1.6H8.1C8.2 7.800 9.800 6.400 12 6.400z',
  picture: 'M4 4h16a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zm1 2v9.600l4-4 3.500 3.500 3-3 3.500 3.500V6zM16 7.500a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z',
  table: 'M4 4h16a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zm1 5v3h4V9zm6 0v3h8V9zm-6 5v4h4v-4zm6 0v4h8v-4z',
  close: 'M6 4.6 12 10.6l6-6L19.4 6l-6 6 6 6-1.4 1.4-6-6-6 6L4.6 18l6-6-6-6z',
  live: 'M12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM6 4.5l1.4 1.4a8.6 8.6 0 0 0 0 12.2L6 19.5a10.6 10.6 0 0 1 0-15zM18 4.5a10.6 10.6 0 0 1 0 15l-1.4-1.4a8.6 8.6 0 0 0 0-12.2z',
} as const;
export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}

export function button(name: Icon, label: string, act: () => void): HTMLButtonElement {
  const made = element('button', {type: 'button', title: label, 'aria-label': label, class: 'icon'}, icon(name));
  made.addEventListener('click', () => {
    act();
    made.blur();
  });
  return made;
}

export function choice(label: string, options: readonly (readonly [string, string])[], value: string, act: (value: string) => void): HTMLLabelElement {
  const select = element('select', {'aria-label': label}, ...options.map(([v, text]) => element('option', {value: v}, text)));
  select.value = value;
  select.addEventListener('change', () => {
    act(select.value);
    select.blur();
  });
  return element('label', {class: 'choice'}, element('span', {}, label), select);
}

