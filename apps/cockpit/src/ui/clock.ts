// Moments by the clock and the calendar of the reader, in one form on every page: 24 hours.

/** `17:22`. */
export const minuteText = (at: number | string): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** `17:22:39`. */
export const secondText = (at: number | string): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

/** The date and the time. */
export const momentText = (at: number | string): string => new Date(at).toLocaleString([], { hourCycle: 'h23' })
