// Sounds for tests, at 24,000 samples a second.

export const silence = (ms: number): Int16Array => new Int16Array(ms * 24)

/** A tone that a detector takes for voice. */
export const voice = (ms: number, level = 6_000): Int16Array =>
  Int16Array.from({ length: ms * 24 }, (_, index) =>
    Math.round(level * Math.SQRT2 * Math.sin((index * 2 * Math.PI) / 120)),
  )

/** Samples as a client sends them. */
export const bytesOf = (...sounds: readonly Int16Array[]): Uint8Array =>
  Uint8Array.from(sounds.flatMap((sound) => [...new Uint8Array(sound.buffer, sound.byteOffset, sound.byteLength)]))
