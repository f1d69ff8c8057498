// Durations, ages, costs, counts and sizes as text, the same in the cockpit, the CLI and on the wires.
//
// Cells, charts and meters are short (`142k`). Sentences, logs and the CLI are exact (`142,300`). A cost next to its
// limit is exact (`$0.0125`), because rounding could move it across the limit. Other costs are rounded (`$0.01`).

/** `84 ms`, `1.2 s`, `30 s`, `2 m 48 s`, `3 h 5 m`, `2 d 7 h`. Omits a second unit of zero. */
export const durationText = (ms: number): string => {
  const seconds = Math.round(ms / 1_000)
  if (ms < 999.5) return ms === 0 ? '0 s' : `${Math.round(ms)} ms`
  if (seconds < 10) return `${Number((ms / 1_000).toFixed(1))} s`
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return units(minutes, 'm', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? units(hours, 'h', minutes % 60, 'm') : units(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

const units = (large: number, name: string, small: number, smallName: string): string =>
  small === 0 ? `${large} ${name}` : `${large} ${name} ${small} ${smallName}`

/** A running duration in whole seconds: `0 s`, `12 s`, `1 m 5 s`. */
export const elapsedText = (ms: number): string => durationText(Math.round(Math.max(0, ms) / 1_000) * 1_000)

/** A duration in its largest unit: `20 s`, `4 m`, `2 h`, `3 d`. */
export const roughTimeText = (ms: number): string => {
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m`
  return ms < 172_800_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} d`
}

/** An age: `now`, `20 s`, `4 m`. */
export const ageText = (ms: number): string => (ms < 5_000 ? 'now' : roughTimeText(ms))

/** An age in a sentence: `just now`, `20 s ago`. */
export const agoText = (ms: number): string => (ms < 5_000 ? 'just now' : `${roughTimeText(ms)} ago`)

/** `$1.71`, `$0.00`. Below a cent: two significant digits. */
export const costText = (usd: number): string => {
  if (usd < 0) return `-${costText(-usd)}`
  return usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${decimals(Number(usd.toPrecision(2)))}`
}

/** `$1.50`, `$0.0125`, without rounding. */
export const exactCostText = (usd: number): string => {
  if (usd < 0) return `-${exactCostText(-usd)}`
  // Removes floating-point noise such as 0.08199999999999999.
  const exact = Number(usd.toPrecision(6))
  return Number(exact.toFixed(2)) === exact ? `$${exact.toFixed(2)}` : `$${decimals(exact)}`
}

/** Avoids exponents: `0.00000012`. */
const decimals = (value: number): string => (value < 1e-6 ? value.toFixed(12).replace(/0+$/, '') : String(value))

/** `512`, `142k`, `1.2M`. */
export const countText = (count: number): string => {
  if (count < 10_000) return String(count)
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** `142,300`, with at most two decimals. */
export const exactCountText = (count: number): string => {
  const [whole = '', fraction] = String(Math.round(count * 100) / 100).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** `12 B`, `3.4 kB`, `1.2 MB`. */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 999_950 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** `1 reason`, `1,200 reasons`. */
export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${exactCountText(count)} ${count === 1 ? noun : nouns}`
