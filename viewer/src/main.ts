// Where the page begins: a replay that the file carries, or the live run the address belongs to.
import './style.css';
import {App} from './app';
import {element} from './dom';
import {ReplayDriver} from './driver';
import {Live} from './live';
import {readReplay} from './replay';

declare global {
  interface Window {
    catena?: App;
  }
}

async function open(root: HTMLElement): Promise<App> {
  const run = document.getElementById('catena-run');
  if (run) {
    const {scene, timeline} = await readReplay(run.textContent ?? '');
    run.remove();
    return new App(root, scene, timeline, new ReplayDriver(timeline));
  }
  const token = new URLSearchParams(location.search).get('token') ?? '';
  const live = await Live.connect(`ws://${location.host}/live?token=${encodeURIComponent(token)}`);
  await new Promise<void>((resolve) => {
    const wait = (): void => (live.timeline.count > 0 ? resolve() : void setTimeout(wait, 10));
    wait();
  });
  return new App(root, live.hello.scene, live.timeline, live);
}

async function begin(): Promise<void> {
  const root = document.getElementById('catena')!;
  try {
    const app = await open(root);
    window.catena = app;
    if (location.hash === '#still') return; // draws when it is asked to
    app.run(location.hash !== '#paused' && !window.matchMedia('(prefers-reduced-motion: reduce)').matches);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    root.replaceChildren(element('p', {class: 'sorry'}, `This page cannot show the run: ${why}`));
  }
}

void begin();
