// The title of the page: what runs, and buttons.
import {button, element} from './dom';
import {isBody, type RunInfo, type SceneInfo} from './format';
import {quantity} from './numbers';

export interface HeaderActs {
  home(): void;
  theme(): void;
  side(): void;
  plots(): void;
  help(): void;
  picture(): void;
  drawing(): void;
  columns(): void;
  model(): void;
  video(): void;
}

const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

export class Header {
  readonly root: HTMLElement;
  readonly rate = element('span', {class: 'rate'});
  private readonly facts = element('span');
  private readonly film: HTMLButtonElement;
  private readonly files = element('div', {class: 'files panel', hidden: '', role: 'menu', 'aria-label': 'Save'});

  constructor(private readonly scene: SceneInfo, acts: HeaderActs) {
    const file = (label: string, act: () => void): HTMLButtonElement => {
      const made = element('button', {type: 'button', role: 'menuitem'}, label);
      made.addEventListener('click', () => {
        this.files.hidden = true;
        act();
      });
      return made;
    };
    this.film = file('Video of the run (MP4, WebM)', acts.video);
    this.files.append(
      file('Picture of the scene (PNG)', acts.picture), file('Drawing of the plots (SVG)', acts.drawing), this.film,
      file('Columns (CSV)', acts.columns), file('Animated model (glTF, .glb)', acts.model),
    );
    this.root = element(
      'header', {class: 'title'},
      element('div', {class: 'name'}, element('h1', {}, scene.name || 'scene'), element('p', {}, this.facts, ' · ', this.rate)),
      element('div', {class: 'tools'},
        button('home', 'Whole scene (f)', acts.home),
        button('theme', 'Dark or light (t)', acts.theme),
        button('layers', 'Panel (p)', acts.side),
        button('chart', 'Plots (g)', acts.plots),
        button('picture', 'Save (s)', () => this.menu()),
        button('help', 'Help (?)', acts.help),
        this.files,
      ),
    );
    this.show(scene.run);
  }

  // The method as it is now: it may be changed while it runs.
  show(run: RunInfo): void {
    const name = run.method === 'auto' ? run.used ?? '' : run.method;
    const method = name && `${name}, `;
    const {bodies, joints} = this.scene;
    this.facts.textContent = `${counted(bodies.filter(isBody).length, 'body', 'bodies')} · ${counted(joints.length, 'joint', 'joints')} · ${method}step ${quantity([run.step], 's')}`;
  }

  menu(on = this.files.hidden): void {
    this.files.hidden = !on;
    if (on) this.files.querySelector('button')?.focus();
  }

  filming(on: boolean): void {
    this.film.textContent = on ? 'End the video and save it' : 'Video of the run (MP4, WebM)';
    this.root.classList.toggle('filming', on);
  }
}
