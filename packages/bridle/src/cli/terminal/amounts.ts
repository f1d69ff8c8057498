// Numbers for people: times, amounts of money, counts. Every command writes them in the same way.

/** `0.4 s`, `12 s`, `3 min 5 s`. */
export const duration = (ms: number): string => {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Small amounts keep two digits that say something. */
export const dollars = (amount: number): string => {
  if (amount === 0) return '$0'
  const digits = amount >= 1 ? 2 : Math.min(8, Math.max(2, 1 - Math.floor(Math.log10(amount))))
  return `$${amount.toFixed(digits)}`
}

export const count = (amount: number): string => amount.toLocaleString('en-US')
