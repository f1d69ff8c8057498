const two = (number: number): string => (number < 10 ? `0${number}` : String(number))

/** `17:22:39.204` by the clock of the reader. By hand: a formatter of the platform takes most of the time of a row. */
export const milliText = (at: number): string => {
  const date = new Date(at)
  const millis = String(date.getMilliseconds()).padStart(3, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${millis}`
}
