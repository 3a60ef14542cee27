// Numbers as people write them: three digits, a prefix before the unit, powers of ten only where nothing else is short.
const digits = 3;
const nothing = 1e-12; // in units of SI: shown as 0
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function plain(x: number): string {
  const text = x.toPrecision(digits);
  const short = Number(text);
  return (Math.abs(short) >= 10 ** digits ? String(short) : text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text).replace('-', '−');
}

// A number without a unit.
export function figure(x: number): string {
  if (!Number.isFinite(x)) return '–';
  const size = Math.abs(x);
  if (size === 0) return '0';
  if (size >= 1e-3 && size < 1e5) return plain(x);
  const [mantissa, exponent] = x.toExponential(digits - 1).split('e') as [string, string];
  const power = (exponent.startsWith('-') ? '⁻' : '') + [...exponent.replace(/[+-]/, '')].map((d) => raised[Number(d)]).join('');
  const short = plain(Number(mantissa));
  return short === '1' ? `10${power}` : `${short}·10${power}`;
}

interface Prefix {
  factor: number;
  name: string;
  least: number; // taken from here on
}
const prefixes: Prefix[] = ([[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']] as const).map(([factor, name]) => ({factor, name, least: factor}));
// 1500 m, not 1.5 km; 0.2 m, not 200 mm.
const lengths = prefixes.filter(({factor}) => factor <= 1).map((prefix) => (prefix.factor === 1 ? {...prefix, least: 0.1} : prefix));
const small = prefixes.filter(({factor}) => factor <= 1);
const angles = small.map((prefix) => (prefix.factor === 1 ? {...prefix, least: 0.01} : prefix)); // 0.5 rad, 5 mrad
const known: Record<string, Prefix[]> = {m: lengths, N: prefixes, 'N m': prefixes, J: prefixes, 'm/s': lengths, s: small, rad: angles, 'rad/s': angles};

// Numbers of one unit, with the prefix that suits the largest: "1.2, 0, −35 mm".
export function quantity(values: readonly number[], unit: string): string {
  const most = Math.max(0, ...values.map(Math.abs).filter(Number.isFinite));
  const list = known[unit];
  if (most < nothing) return `${values.map((x) => (Number.isFinite(x) ? '0' : '–')).join(', ')} ${unit}`.trim();
  const {factor, name: prefix} = list?.find(({least}) => most >= 0.9995 * least) ?? list?.[list.length - 1] ?? {factor: 1, name: ''};
  // What is a ten-thousandth of the largest is nothing beside it.
  const texts = values.map((x) => (Math.abs(x) < 1e-4 * most ? '0' : figure(x / factor)));
  return `${texts.join(', ')} ${prefix}${unit}`.trim();
}
