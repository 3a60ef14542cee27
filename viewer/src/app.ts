// The page: a stage with bodies and overlays, a bar for the time, panels, plots, and one loop that keeps them in step.
import {BufferGeometry, type Color, Line, LineDashedMaterial, Vector3} from 'three';
import {Bodies} from './bodies';
import {bodyColour, groundColour, themes} from './colours';
import {Corner} from './corner';
import {element} from './dom';
import {csvOf, saveFile} from './download';
import {Pointer} from './drag';
import type {Driver} from './driver';
import type {SceneInfo} from './format';
import {floorOf} from './floor';
import {Framing} from './framing';
import {Ghost} from './ghost';
import {glbOf} from './gltf';
import {Header} from './header';
import {helpPanel} from './help';
import {type Choice, Inspector} from './inspector';
import {Live} from './live';
import {bodiesNamed, groundParts, type Part, partsOf, upOf} from './looks';
import {Overlays, type Toggle, toggles} from './overlays';
import {Plots} from './plots';
import {Poses} from './poses';
import {Side} from './side';
import {softOf} from './soft';
import {type Bounds, Stage} from './stage';
import {type Picked, Surfaces} from './surfaces';
import {endOf, momentAt, type Timeline} from './timeline';
import {Transport} from './transport';
import {Video} from './video';

const shownFirst: Toggle[] = ['joints', 'contacts', 'shadows', 'grid', 'follow'];

export class App {
  readonly stage: Stage;
  private readonly poses: Poses;
  private readonly bodies: Bodies;
  readonly surfaces: Surfaces;
  private readonly parts: Part[];
  private readonly header: Header;
  private readonly side: Side;
  private readonly video = new Video();
  private readonly overlays: Overlays;
  private readonly inspector: Inspector;
  private readonly plots: Plots;
  private readonly transport: Transport;
  private readonly pointer: Pointer;
  private readonly toast = element('div', {class: 'toast', role: 'status', hidden: ''});
  private readonly corner = new Corner();
  private readonly help: HTMLElement;
  private readonly pull = new Line(new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]), new LineDashedMaterial({color: '#ff9f1c', dashSize: 0.02, gapSize: 0.01, depthTest: false}));
  private readonly ghost: Ghost;
  private readonly colours: Color[]; // of the bodies
  private readonly bounds: Bounds;
  private framing: Framing;
  private focus = ''; // names of the bodies that are framed; empty: all that move
  private readonly followed = new Vector3(); // how far the camera has gone along with the bodies
  private middle: Vector3 | null = null; // of the bodies of a live run, at first
  private turned = false; // the camera is where somebody has put it
  private toastTimer = 0;
  private firstPicture = 0; // ms after the page was asked for
  private frames = 0;
  private fps = 0;
  private theme: 'dark' | 'light' = window.matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';

  constructor(root: HTMLElement, private readonly scene: SceneInfo, private readonly timeline: Timeline, private readonly driver: Driver) {
    this.help = helpPanel(driver.live);
    const canvas = element('canvas', {class: 'scene', tabindex: '0', 'aria-label': `${scene.name}, three-dimensional view`});
    this.poses = new Poses(scene, timeline);
    this.plots = new Plots(scene, timeline, driver);
    this.transport = new Transport(timeline, driver);
    this.inspector = new Inspector(scene, timeline, () => this.choose(null), (title, unit, columns) => {
      this.showPlots(true);
      this.plots.open(title, unit, columns);
    });
    this.header = new Header(scene, {
      home: () => this.home(),
      theme: () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'),
      side: () => this.showSide(this.side.root.hidden),
      plots: () => this.showPlots(this.plots.root.hidden),
      help: () => (this.help.hidden = !this.help.hidden),
      picture: () => this.savePicture(),
      drawing: () => saveFile(`${this.fileName}.svg`, this.plots.svg(), 'image/svg+xml'),
      columns: () => saveFile(`${this.fileName}.csv`, csvOf(timeline), 'text/csv'),
      model: () => saveFile(`${this.fileName}.glb`, this.glb(), 'model/gltf-binary'),
      video: () => this.film(!this.video.recording),
    });
    this.side = new Side(scene, timeline, driver, () => this.overlays.scale, {choose: (choice) => this.choose(choice), toggle: (name, on) => this.set(name, on)});
    const view = element('main', {class: 'view'}, canvas, this.header.root, this.inspector.root, this.corner.root, this.help, this.toast);
    root.replaceChildren(element('div', {class: 'upper'}, view, this.side.root), this.transport.root, this.plots.root);
    if (window.matchMedia('(max-width: 720px), (max-height: 560px)').matches) this.plots.root.hidden = true;
    this.side.root.hidden = !window.matchMedia('(min-width: 1100px) and (min-height: 560px)').matches;

    this.stage = new Stage(canvas, upOf(scene));
    this.stage.resize();
    this.framing = new Framing(scene, this.poses, timeline, this.stage.view(this.titleHeight()));
    this.bounds = {centre: this.framing.centre, radius: this.framing.radius};
    const size = this.bounds.radius;
    const soft = softOf(scene);
    this.parts = [...partsOf(scene, size), ...groundParts(scene)];
    this.colours = scene.bodies.map((_, body) => bodyColour(body, scene.bodies.length));
    // A body whose first part has a colour of its own has that one where it is drawn as a whole, on a cloth or a cable.
    for (const body of soft.bodies) this.colours[body] = this.parts.find((part) => part.body === body)?.colour ?? this.colours[body]!;
    this.ghost = new Ghost(scene, size, this.stage.scene);
    this.bodies = new Bodies(this.parts.filter(({body}) => !soft.bodies.has(body)), {colour: (body) => this.colourOf(body)});
    this.surfaces = new Surfaces(soft, this.poses, size, (body) => this.colourOf(body));
    this.overlays = new Overlays(scene, timeline, this.poses, size, soft.joints);
    this.pull.visible = false;
    this.pull.frustumCulled = false;
    this.stage.scene.add(this.bodies.group, this.surfaces.group, this.overlays.group, this.pull);
    for (const [name] of toggles) this.set(name, shownFirst.includes(name));
    this.home();
    this.stage.layFloor(...floorOf(this.scene, this.timeline, this.poses, this.bounds, this.stage.up));
    this.paintTheme();
    this.pointer = new Pointer(this.stage, this.poses, driver instanceof Live ? driver : null, {
      bodyAt: (x, y) => this.bodyAt(x, y),
      click: (x, y) => this.pick(x, y),
    });
    this.stage.orbit.addEventListener('start', () => (this.turned = true));
    window.addEventListener('keydown', this.key);
    this.corner.cell = this.stage.cell;
    new ResizeObserver(() => {
      this.stage.resize();
      if (!this.turned) this.home();
    }).observe(view);
    if (driver instanceof Live) this.listen(driver);
  }

  run(play: boolean): void {
    if (play && (!this.driver.live || this.driver.time === 0)) this.driver.play();
    let [last, counted] = [performance.now(), performance.now()];
    let slow = 0; // half seconds
    const patience = 6;
    this.stage.renderer.setAnimationLoop(() => {
      const now = performance.now();
      this.driver.tick(Math.min((now - last) / 1000, 0.25));
      last = now;
      this.draw();
      if (++this.frames && now - counted >= 500) {
        this.fps = (1000 * this.frames) / (now - counted);
        this.header.rate.textContent = `${Math.round(this.fps)} fps`;
        counted = now;
        this.frames = 0;
        slow = this.driver.playing && this.fps < 20 && !this.video.recording ? slow + 1 : 0; // a film keeps its size
        if (slow === patience) {
          this.stage.lighten();
          slow = 0;
        }
      }
    });
  }

  setTheme(theme: 'dark' | 'light'): void {
    this.theme = theme;
    this.paintTheme();
  }

  // What scripts and tests may ask.
  get report(): {begin: number; end: number; time: number; playing: boolean; frames: number; fps: number; bodies: number; firstPicture: number} {
    const {timeline} = this;
    const begin = timeline.count > 0 ? timeline.time(0) : 0;
    return {begin, end: endOf(timeline), time: this.driver.time, playing: this.driver.playing, frames: timeline.count, fps: this.fps, bodies: this.scene.bodies.length, firstPicture: this.firstPicture};
  }

  // Shows a moment as the page shows it while it plays, from where the camera stands first: for pictures.
  show(time: number): void {
    this.driver.pause();
    this.driver.seek(time);
    this.home();
    this.draw();
  }

  // The scene alone at a moment, as a PNG in a data: address, from where the camera stands first or from two angles in degrees. With `focus` it looks at
  // these bodies, over the whole run or, `still`, where they are at that moment. Equal calls give equal pixels on one machine.
  picture(time: number, width: number, height: number, angles: [number, number] | null = null, focus: string[] = [], still = false): string {
    this.driver.pause();
    this.driver.seek(time);
    this.stage.angles = angles;
    this.stage.size(width, height);
    if (focus.length > 0 && (still || focus.join() !== this.focus)) this.frame(focus, still ? momentAt(this.timeline, time).frame : -1);
    this.home(0);
    this.draw();
    return this.stage.canvas.toDataURL('image/png');
  }

  private frame(focus: string[], at: number): void {
    this.framing = new Framing(this.scene, this.poses, this.timeline, this.stage.view(0), bodiesNamed(this.scene, focus), at);
    this.focus = focus.join();
  }

  // The camera back to where it stood first, beside the bodies.
  private home(title = this.titleHeight()): void {
    this.turned = false;
    this.stage.take(this.framing.shot(this.stage.view(title)));
    const gone = this.followed.clone();
    this.followed.set(0, 0, 0);
    this.goAlong(this.driver.live ? gone : this.framing.at(this.driver.time));
  }

  private titleHeight(): number {
    return document.querySelector<HTMLElement>('header.title')?.offsetHeight ?? 0;
  }

  private goAlong(to: Vector3): void {
    this.stage.move(to.clone().sub(this.followed));
    this.followed.copy(to);
  }

  // Where a body is drawn: in the world, and in pixels of the window.
  where(name: string): {world: number[]; pixel: number[]} {
    const body = this.scene.bodies.findIndex((info) => info.name === name);
    const {p} = this.poses.poses[body]!;
    const seen = p.clone().project(this.stage.camera);
    const box = this.stage.canvas.getBoundingClientRect();
    return {world: p.toArray(), pixel: [box.left + ((seen.x + 1) / 2) * box.width, box.top + ((1 - seen.y) / 2) * box.height]};
  }

  // A column at the moment shown.
  value(name: string): number {
    const {frame} = momentAt(this.timeline, this.driver.time);
    return this.timeline.value(this.timeline.names.indexOf(name), frame);
  }

  set(toggle: Toggle, on: boolean): void {
    this.overlays.set(toggle, on);
    this.side.set(toggle, on);
    if (toggle === 'wire') this.bodies.showWire(on);
    if (toggle === 'shadows') this.stage.shadows(on);
    if (toggle === 'grid') this.stage.showGrid(on);
  }

  private colourOf(body: number): Color {
    return this.colours[body] ?? groundColour;
  }

  private get fileName(): string {
    return (this.scene.name || 'run').replace(/[^\p{L}\p{N}]+/gu, '-');
  }

  // The scene as it is on the screen.
  private savePicture(): void {
    this.draw();
    this.stage.canvas.toBlob((file) => file && saveFile(`${this.fileName}.png`, file, 'image/png'));
  }

  // The run as a binary glTF file.
  glb(): Uint8Array<ArrayBuffer> {
    return glbOf(this.scene, this.timeline, this.parts, ({body, colour}) => colour ?? this.colourOf(body), this.stage.up);
  }

  // A replay is filmed from its start to its end, a live run until the button is pressed again.
  private film(on: boolean): void {
    if (!on) this.video.stop();
    else if (!this.video.start(this.stage.canvas, (file, ending) => saveFile(`${this.fileName}.${ending}`, file, file.type))) this.say('This browser cannot make videos; `catena render` does.');
    else {
      if (!this.driver.live) this.driver.reset();
      this.driver.play();
    }
    this.header.filming(this.video.recording);
  }

  private readonly key = (event: KeyboardEvent): void => {
    if ((event.target instanceof HTMLInputElement && event.target.type === 'text') || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Record<string, () => void> = {
      '?': () => (this.help.hidden = !this.help.hidden),
      Escape: () => this.escape(),
      f: () => this.home(),
      p: () => this.showSide(this.side.root.hidden),
      g: () => this.showPlots(this.plots.root.hidden),
      t: () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'),
      s: () => this.header.menu(),
    };
    acts[event.key]?.();
  };

  private escape(): void {
    this.help.hidden = true;
    this.header.menu(false);
    this.choose(null);
  }

  private showSide(on: boolean): void {
    this.side.root.hidden = !on;
  }

  private showPlots(on: boolean): void {
    this.plots.root.hidden = !on;
  }

  private paintTheme(): void {
    document.documentElement.dataset.theme = this.theme;
    this.stage.theme(themes[this.theme]);
    this.overlays.theme(themes[this.theme]);
  }

  bodyAt(x: number, y: number): Picked | null {
    const ray = this.stage.rayAt(x, y);
    const found = [this.bodies.pick(ray), this.surfaces.pick(ray)].filter((hit) => hit !== null);
    return found.sort((a, b) => a.distance - b.distance)[0] ?? null;
  }

  private pick(x: number, y: number): void {
    const body = this.bodyAt(x, y);
    const joint = this.overlays.pick(this.stage.rayAt(x, y));
    if (joint && (!body || joint.distance <= body.distance + 0.03 * this.bounds.radius)) this.choose({joint: joint.joint});
    else this.choose(body ? {body: body.body} : null);
  }

  choose(choice: Choice): void {
    const body = choice && 'body' in choice ? choice.body : -1;
    this.bodies.paint(body);
    this.surfaces.paint(body);
    this.inspector.show(choice);
    this.side.select(choice);
  }

  private say(text: string): void {
    this.toast.textContent = text;
    this.toast.hidden = false;
    window.clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => (this.toast.hidden = true), 6000);
  }

  private listen(live: Live): void {
    live.events = {
      status: ({run: asked, used, ghost}) => {
        const run = {...asked, used};
        this.side.show(run, ghost);
        this.header.show(run);
        if (!ghost) this.ghost.hide();
      },
      message: (text) => this.say(text),
    };
  }

  private draw(): void {
    const {driver, timeline} = this;
    const moment = momentAt(timeline, driver.time);
    this.poses.update(moment);
    this.bodies.place(this.poses.poses);
    this.surfaces.place();
    if (this.video.recording && !driver.live && !driver.playing) this.film(false);
    if (driver instanceof Live && driver.ghost) this.ghost.draw(driver.ghost);
    this.overlays.update(moment, driver.time);
    this.pointer.update();
    this.drawPull();
    if (this.overlays.on('follow')) this.followBodies();
    this.corner.draw(this.stage.camera);
    this.transport.draw();
    this.inspector.draw(moment);
    this.side.draw(moment);
    this.plots.draw(driver.time);
    this.stage.render();
    if (this.firstPicture === 0) this.firstPicture = performance.now();
  }

  private drawPull(): void {
    const {pulling} = this.pointer;
    this.pull.visible = pulling !== null;
    if (!pulling) return;
    this.pull.geometry.setFromPoints([pulling.from, pulling.to]);
    this.pull.computeLineDistances();
  }

  // A replay knows the way; in a live run the middle of the bodies may go half a radius before the camera goes along.
  private followBodies(): void {
    if (!this.driver.live) {
      this.goAlong(this.framing.at(this.driver.time));
      return;
    }
    const centre = new Vector3();
    for (const {p} of this.poses.poses) centre.add(p);
    centre.divideScalar(Math.max(1, this.poses.poses.length));
    this.middle ??= centre.clone();
    const ahead = centre.sub(this.middle).sub(this.followed);
    const slack = 0.5 * this.bounds.radius;
    if (ahead.length() > slack) this.goAlong(ahead.multiplyScalar(1 - slack / ahead.length()).add(this.followed));
  }
}
