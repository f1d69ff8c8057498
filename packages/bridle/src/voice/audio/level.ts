/** The loudness of samples: the root of their mean square. */
export const levelOf = (samples: Int16Array): number => {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}
