// Numbers and times as people read them, with their units.

/** `84 ms`, `30.0 s`, `2 m 48 s`, `3 h 5 m`. */
export const durationText = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} m ${Math.floor((ms % 60_000) / 1_000)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** The age of a moment in one unit: `now`, `20 s`, `4 m`, `2 h`, `3 d`. */
export const ageText = (ms: number): string => {
  if (ms < 5_000) return 'now'
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m`
  if (ms < 172_800_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.floor(ms / 86_400_000)} d`
}

/** The same in a sentence: `just now`, `20 s ago`. */
export const agoText = (ms: number): string => {
  const age = ageText(ms)
  return age === 'now' ? 'just now' : `${age} ago`
}

/** `$1.71`; small sums keep two digits that count. */
export const costText = (usd: number): string =>
  usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2)}`

/** `142k`, `1.2M`. */
export const countText = (count: number): string => {
  if (count < 10_000) return String(count)
  return count < 1_000_000 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** `12 B`, `3.4 kB`, `1.2 MB`. */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** `1 reason`, `2 reasons`. */
export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : nouns}`
