// The stage: camera, lights, shadows, floor. Up is where gravity does not pull.
import {
  Color, DirectionalLight, DoubleSide, Fog, HemisphereLight, Mesh, NeutralToneMapping, PCFSoftShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster, Scene, ShaderMaterial, ShadowMaterial, Vector2, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import type {Theme} from './colours';
import type {Shot, View} from './framing';

const gridVertex = `
varying vec2 at;
void main() {
  at = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines of constant width in pixels, every cell and every ten cells, fading with the distance from the middle.
const gridFragment = `
varying vec2 at;
uniform vec3 colour;
uniform float opacity, cell, reach;
float line(float spacing) {
  vec2 x = at / spacing;
  vec2 d = abs(fract(x - 0.5) - 0.5) / fwidth(x);
  return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.15, 1.0, length(at) / reach);
  float glow = 0.22 * exp(-6.0 * length(at) / reach);
  float alpha = max(max(0.55 * line(cell), line(10.0 * cell)) * fade, glow) * opacity;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(colour, alpha);
}`;

export interface Bounds {
  centre: Vector3;
  radius: number;
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
  readonly orbit: OrbitControls;
  private readonly key = new DirectionalLight('#ffffff', 2.4);
  private readonly fill = new DirectionalLight('#dfe8ff', 1.1); // from the other side, without shadows
  private readonly hemisphere = new HemisphereLight('#ffffff', '#444444', 2.6);
  private readonly floor: Mesh;
  private readonly grid: Mesh;
  private readonly gridMaterial: ShaderMaterial;
  private readonly shadowMaterial = new ShadowMaterial({opacity: 0.4, side: DoubleSide, depthWrite: false});
  private readonly ray = new Raycaster();
  private quality = 1; // pixels of the screen for one of ours, at most
  angles: [number, number] | null = null; // degrees: where the camera stands, from the front to the right, and above
  private readonly floorAt = new Vector3(); // where the floor was laid
  private bounds: Bounds = {centre: new Vector3(), radius: 1};
  private behind = false; // the first picture is laid behind the canvas

  constructor(readonly canvas: HTMLCanvasElement, readonly up: Vector3) {
    this.renderer = new WebGLRenderer({canvas, antialias: true, powerPreference: 'high-performance'});
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.debug.checkShaderErrors = false; // asking would wait for the compiler
    this.camera.up.copy(up);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = true;
    this.orbit.dampingFactor = 0.12;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -0.0004;
    this.gridMaterial = new ShaderMaterial({
      vertexShader: gridVertex,
      fragmentShader: gridFragment,
      uniforms: {colour: {value: new Color()}, opacity: {value: 0.2}, cell: {value: 1}, reach: {value: 10}},
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.floor = new Mesh(new PlaneGeometry(1, 1), this.shadowMaterial);
    this.floor.receiveShadow = true;
    this.grid = new Mesh(new PlaneGeometry(1, 1), this.gridMaterial);
    this.scene.add(this.hemisphere, this.key, this.key.target, this.fill, this.fill.target, this.floor, this.grid);
  }

  theme(theme: Theme): void {
    const background = new Color(theme.background);
    this.scene.background = background;
    this.scene.fog = new Fog(background, 10 * this.bounds.radius, 60 * this.bounds.radius);
    (this.gridMaterial.uniforms.colour!.value as Color).set(theme.grid);
    this.gridMaterial.uniforms.opacity!.value = theme.gridOpacity;
    this.shadowMaterial.opacity = theme.shadow;
    this.hemisphere.color.set(theme.sky);
    this.hemisphere.groundColor.set(theme.earth);
  }

  // Lays the floor through `point`, normal to `normal`.
  layFloor(point: Vector3, normal: Vector3): void {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal.clone().normalize());
    const reach = 24 * this.bounds.radius;
    const cell = 10 ** Math.round(Math.log10(this.bounds.radius / 4));
    this.gridMaterial.uniforms.cell!.value = cell;
    this.gridMaterial.uniforms.reach!.value = reach;
    const lift = normal.clone().normalize().multiplyScalar(-0.002 * this.bounds.radius);
    for (const mesh of [this.floor, this.grid]) {
      mesh.geometry.dispose();
      mesh.geometry = new PlaneGeometry(2 * reach, 2 * reach, 24, 24);
      mesh.quaternion.copy(turn);
      mesh.position.copy(point).add(lift);
    }
    this.floorAt.copy(this.floor.position);
  }

  // What the camera sees from where it stands first: from the front, a little from the right and from above. The title's pixels at the top and a
  // twelfth at the other edges stay free.
  view(title: number): View {
    const spatial = Math.abs(this.up.z) > 0.7;
    const [azimuth, elevation] = this.angles ?? (spatial ? [32, 18] : [19, 18]);
    const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
    const front = spatial ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
    const aside = front.clone().cross(this.up).normalize().negate();
    front.crossVectors(aside, this.up).normalize();
    const forward = front.multiplyScalar(Math.cos(a)).addScaledVector(aside, Math.sin(a)).multiplyScalar(Math.cos(e)).addScaledVector(this.up, Math.sin(e)).negate();
    const right = forward.clone().cross(this.up).normalize();
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const tall = Math.max(this.canvas.clientHeight, 1);
    return {right, up: right.clone().cross(forward), forward, wide: 0.92 * half * this.camera.aspect, above: half * Math.max(0.5, 0.92 - (2 * title) / tall), below: 0.92 * half};
  }

  // Sets the camera up for the first moment.
  take({camera, target, radius}: Shot): void {
    this.bounds = {centre: target.clone(), radius};
    this.camera.near = radius / 200;
    this.camera.far = radius * 120;
    this.camera.position.copy(camera);
    this.orbit.target.copy(target);
    this.orbit.minDistance = radius / 50;
    this.orbit.maxDistance = radius * 40;
    this.camera.updateProjectionMatrix();
    this.light(target);
  }

  // Side of a square of the grid, m.
  get cell(): number {
    return this.gridMaterial.uniforms.cell!.value as number;
  }

  private light(centre: Vector3): void {
    const {radius} = this.bounds;
    const side = new Vector3(0.45, -0.55, 0.35).addScaledVector(this.up, 1.25).normalize();
    this.key.position.copy(centre).addScaledVector(side, 4 * radius);
    this.key.target.position.copy(centre);
    this.fill.position.copy(centre).addScaledVector(new Vector3(-0.8, -0.5, 0.2).addScaledVector(this.up, 0.3), 4 * radius);
    this.fill.target.position.copy(centre);
    const shadow = this.key.shadow.camera;
    const half = 1.7 * radius;
    [shadow.left, shadow.right, shadow.top, shadow.bottom, shadow.near, shadow.far] = [-half, half, half, -half, radius / 10, 9 * radius];
    shadow.updateProjectionMatrix();
    this.key.shadow.normalBias = radius * 0.002;
  }

  // Moves the camera, the light and the visible part of the floor with what they look at. The lines of the grid stay where they are.
  move(by: Vector3): void {
    this.camera.position.add(by);
    this.orbit.target.add(by);
    this.light(this.orbit.target);
    const wide = 10 * (this.gridMaterial.uniforms.cell!.value as number);
    const local = this.orbit.target.clone().sub(this.floorAt).applyQuaternion(this.floor.quaternion.clone().invert());
    const whole = new Vector3(wide * Math.round(local.x / wide), wide * Math.round(local.y / wide), 0).applyQuaternion(this.floor.quaternion);
    for (const mesh of [this.floor, this.grid]) mesh.position.copy(this.floorAt).add(whole);
  }

  shadows(on: boolean): void {
    this.key.castShadow = on;
  }

  showGrid(on: boolean): void {
    this.grid.visible = on;
  }

  resize(): void {
    const {clientWidth, clientHeight} = this.canvas.parentElement ?? this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(this.quality * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
  }

  // From now on pictures of this many pixels, until `resize`.
  size(width: number, height: number): void {
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  // A machine that cannot keep up gets fewer pixels: half of them, then a quarter, and a smaller shadow.
  lighten(): void {
    if (this.quality < 0.6) return;
    this.quality *= Math.SQRT1_2;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.map?.dispose();
    this.key.shadow.map = null;
    this.resize();
  }

  // The ray through a pixel of the canvas.
  rayAt(clientX: number, clientY: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((clientY - box.top) / box.height) * 2;
    this.ray.setFromCamera(new Vector2(x, y), this.camera);
    return this.ray;
  }

  render(): void {
    this.orbit.update();
    this.renderer.render(this.scene, this.camera);
    if (!this.behind) this.layBehind();
  }

  // Browsers without a graphics card show a canvas some frames after it was drawn, and one that takes a picture of a page it has just opened shows
  // it empty. So the first picture lies behind the canvas too, as an image.
  private layBehind(): void {
    this.behind = true;
    if (this.canvas.parentElement) this.canvas.parentElement.style.background = `center / cover url(${this.canvas.toDataURL('image/jpeg', 0.85)})`;
  }
}
