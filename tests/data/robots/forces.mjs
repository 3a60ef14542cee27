// Writes NAME.forces.json beside every robot file given: what MuJoCo says of its tendons and actuators at random states, with contacts, limits
// and equalities switched off: lengths, speeds, forces, and the generalised forces of springs, dampers and actuators together.
//   npm install @mujoco/mujoco@3.14.0 && node forces.mjs FILE…
import load from '@mujoco/mujoco';
import fs from 'fs';
import path from 'path';

const mj = await load();
const kStates = 20;

function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

for (const file of process.argv.slice(2)) {
  const m = mj.MjModel.from_xml_string(fs.readFileSync(file, 'utf8'));
  const d = new mj.MjData(m);
  const bit = mj.mjtDisableBit.mjDSBL_CONSTRAINT;
  m.opt.disableflags = bit.value ?? bit;
  const uniform = random(4711);
  const between = (a, b) => a + (b - a) * uniform();
  const all = (a) => Array.from(a);
  const out = {file: path.basename(file), mujoco: '3.14.0', lengthrange: all(m.actuator_lengthrange), acc0: all(m.actuator_acc0), states: []};
  for (let s = 0; s < kStates; ++s) {
    for (let j = 0; j < m.njnt; ++j) {
      const lower = m.jnt_range[2 * j], upper = m.jnt_range[2 * j + 1];
      d.qpos[m.jnt_qposadr[j]] = lower < upper ? between(lower, upper) : between(-1, 1);
      d.qvel[m.jnt_dofadr[j]] = between(-2, 2);
    }
    for (let i = 0; i < m.na; ++i) d.act[i] = between(0, 1);
    for (let i = 0; i < m.nu; ++i) d.ctrl[i] = between(0, 1);
    mj.mj_forward(m, d);
    const force = all(d.qfrc_passive).map((x, k) => x + d.qfrc_actuator[k]);
    out.states.push({qpos: all(d.qpos), qvel: all(d.qvel), act: all(d.act), ctrl: all(d.ctrl), ten_length: all(d.ten_length), ten_velocity: all(d.ten_velocity),
                     actuator_length: all(d.actuator_length), actuator_velocity: all(d.actuator_velocity), actuator_force: all(d.actuator_force), act_dot: all(d.act_dot), force});
  }
  fs.writeFileSync(path.join(process.cwd(), path.basename(file) + '.forces.json'), JSON.stringify(out, (key, x) => (typeof x === 'number' ? Number(x.toPrecision(17)) : x)));
  console.log(file, 'tendons', m.ntendon, 'actuators', m.nu);
}
