// Writes NAME.oracle.json beside every robot file given: what MuJoCo says of its masses, and, at random states with contacts, limits,
// equalities, springs, dampers, dry friction and actuators switched off, the mass matrix, the bias forces and the accelerations.
//   npm install @mujoco/mujoco@3.14.0 && node oracle.mjs FILE…
import load from '@mujoco/mujoco';
import fs from 'fs';
import path from 'path';

const mj = await load();
const kStates = 20;

// A small generator, so that the states are the same on every machine.
function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

// Files that meshes are missing of: geoms that show or collide with them go, the inertias stand in the file.
function withoutMissingMeshes(text, folder) {
  const dir = (text.match(/meshdir="([^"]*)"/) || [, ''])[1];
  const missing = new Set();
  let out = text.replace(/<mesh\b[^>]*\/>/g, (tag) => {
    const file = (tag.match(/file="([^"]*)"/) || [])[1];
    if (!file || fs.existsSync(path.join(folder, dir, file))) return tag;
    missing.add((tag.match(/name="([^"]*)"/) || [, path.parse(file).name])[1]);
    return '';
  });
  out = out.replace(/<texture\b[^>]*\bfile="[^"]*"[^>]*\/>/g, '').replace(/\btexture="[^"]*"/g, '');
  if (missing.size > 0)
    out = out.replace(/<geom\b[^>]*\/>/g, (tag) => {
      const mesh = (tag.match(/\bmesh="([^"]*)"/) || [])[1];
      return mesh && missing.has(mesh) ? '' : tag;
    });
  return out;
}

function urdfForOracle(text) {
  // Visuals and collisions weigh nothing; MuJoCo would otherwise look for their meshes. Bodies stay apart.
  text = text.replace(/<!--[\s\S]*?-->/g, '').replace(/<visual\b[\s\S]*?<\/visual>/g, '').replace(/<collision\b[\s\S]*?<\/collision>/g, '');
  // The base is fixed to the world, so that what it weighs is of no consequence; MuJoCo refuses tensors that are not those of a body.
  const first = text.match(/<link\s+name="(base|base_link)"\s*>[\s\S]*?<\/link>/);
  if (first) text = text.replace(first[0], `<link name="${first[1]}"/>`);
  text = text.replace(/<mujoco>[\s\S]*?<\/mujoco>/g, '');
  return text.replace(/(<robot\b[^>]*>)/, '$1<mujoco><compiler fusestatic="false" balanceinertia="false" discardvisual="true" boundmass="0"/></mujoco>');
}

for (const file of process.argv.slice(2)) {
  const folder = path.dirname(file);
  let text = fs.readFileSync(file, 'utf8');
  const vfs = new mj.MjVFS();
  const given = new Set();
  const give = (name, from) => {
    if (!given.has(name)) vfs.addBuffer(name, new Uint8Array(fs.readFileSync(from)));
    given.add(name);
  };
  if (file.endsWith('.urdf')) {
    text = urdfForOracle(text);
  } else {
    text = withoutMissingMeshes(text, folder);
    for (const [, name] of text.matchAll(/<(?:include|model)\b[^>]*file="([^"]*)"/g)) give(name, path.join(folder, name));
    const dir = (text.match(/meshdir="([^"]*)"/) || [, ''])[1];
    for (const [, name] of text.matchAll(/<(?:mesh|texture)\b[^>]*\bfile="([^"]*)"/g))
      if (fs.existsSync(path.join(folder, dir, name))) give(path.join(dir, name), path.join(folder, dir, name));
  }
  const m = mj.MjModel.from_xml_string(text, vfs);
  const d = new mj.MjData(m);
  const bit = mj.mjtDisableBit;
  let flags = 0;
  for (const name of ['mjDSBL_CONSTRAINT', 'mjDSBL_SPRING', 'mjDSBL_DAMPER', 'mjDSBL_ACTUATION'])
    flags |= bit[name].value ?? bit[name];
  m.opt.disableflags = flags;
  const list = (a, i, n) => Array.from(a.slice(n * i, n * i + n));
  const uniform = random(12345);
  const between = (a, b) => a + (b - a) * uniform();
  const out = {file: path.basename(file), mujoco: '3.14.0', nq: m.nq, nv: m.nv, mass: 0, bodies: [], joints: [], states: []};
  mj.mj_forward(m, d);
  for (let i = 1; i < m.nbody; ++i) {
    out.mass += m.body_mass[i];
    out.bodies.push({name: m.body(i).name, mass: m.body_mass[i], position: list(d.xpos, i, 3), centre: list(d.xipos, i, 3), inertia: list(m.body_inertia, i, 3), weld: m.body_weldid[i]});
  }
  for (let j = 0; j < m.njnt; ++j) {
    out.joints.push({name: m.jnt(j).name, type: m.jnt_type[j], axis: list(d.xaxis, j, 3), anchor: list(d.xanchor, j, 3), range: list(m.jnt_range, j, 2),
                     armature: m.dof_armature[m.jnt_dofadr[j]], damping: m.dof_damping[m.jnt_dofadr[j]], stiffness: m.jnt_stiffness[j]});
  }
  const full = new mj.DoubleBuffer(m.nv * m.nv);
  const large = m.nv > 100;  // accelerations tell what the matrix would, in fewer numbers
  for (let s = 0; s < (large ? 2 : kStates); ++s) {
    for (let j = 0; j < m.njnt; ++j) {
      const q = m.jnt_qposadr[j], v = m.jnt_dofadr[j], type = m.jnt_type[j];
      const turn = (at) => {
        const x = [between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)];
        const n = Math.hypot(...x);
        x.forEach((value, k) => (d.qpos[at + k] = value / n));
      };
      if (type === 0) {
        for (let k = 0; k < 3; ++k) d.qpos[q + k] = between(-1, 1);
        turn(q + 3);
        for (let k = 0; k < 6; ++k) d.qvel[v + k] = between(-1, 1);
      } else if (type === 1) {
        turn(q);
        for (let k = 0; k < 3; ++k) d.qvel[v + k] = between(-1, 1);
      } else {
        d.qpos[q] = m.qpos0[q] + between(-1, 1) * (type === 2 ? 0.1 : 1);
        d.qvel[v] = between(-1, 1);
      }
    }
    mj.mj_forward(m, d);
    mj.mj_fullM(m, d, full);
    const M = Array.from(full.GetView());
    const lower = [];
    for (let i = 0; i < m.nv && !large; ++i) for (let k = 0; k <= i; ++k) lower.push(M[i * m.nv + k]);
    out.states.push({qpos: Array.from(d.qpos), qvel: Array.from(d.qvel), M: lower, bias: Array.from(d.qfrc_bias), qacc: Array.from(d.qacc)});
  }
  const to = file + '.oracle.json';
  fs.writeFileSync(path.join(process.cwd(), path.basename(to)), JSON.stringify(out, (key, x) => (typeof x === 'number' ? Number(x.toPrecision(17)) : x)));
  console.log(to, 'nq', m.nq, 'nv', m.nv);
}
