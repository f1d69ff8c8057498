// G.711 telephone audio: one byte per sample, µ-law or A-law.

export type TelephoneLaw = 'g711_ulaw' | 'g711_alaw'

export const decodeG711 = (law: TelephoneLaw, bytes: Uint8Array): Int16Array => {
  const table = tables[law]
  const samples = new Int16Array(bytes.length)
  for (let index = 0; index < bytes.length; index++) samples[index] = table[bytes[index] as number] as number
  return samples
}

export const encodeG711 = (law: TelephoneLaw, samples: Int16Array): Uint8Array => {
  const encode = law === 'g711_ulaw' ? encodeUlaw : encodeAlaw
  const bytes = new Uint8Array(samples.length)
  for (let index = 0; index < samples.length; index++) bytes[index] = encode(samples[index] as number)
  return bytes
}

const decodeUlaw = (byte: number): number => {
  const code = ~byte & 0xff
  const magnitude = ((((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4)) - 0x84
  return code & 0x80 ? -magnitude : magnitude
}

const decodeAlaw = (byte: number): number => {
  const code = byte ^ 0x55
  const segment = (code & 0x70) >> 4
  const base = ((code & 0x0f) << 4) + 8
  const magnitude = segment === 0 ? base : (base + 0x100) << (segment - 1)
  return code & 0x80 ? magnitude : -magnitude
}

const encodeUlaw = (sample: number): number => {
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84
  const segment = segmentOf(magnitude >> 7)
  const code = (sample < 0 ? 0x80 : 0) | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)
  return ~code & 0xff
}

const encodeAlaw = (sample: number): number => {
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_767)
  const segment = segmentOf(magnitude >> 7)
  const mantissa = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | mantissa) ^ 0x55
}

const segmentOf = (value: number): number => 31 - Math.clz32(Math.max(1, value))

const tableOf = (decode: (byte: number) => number): Int16Array =>
  Int16Array.from({ length: 256 }, (_, byte) => decode(byte))
const tables: { readonly [L in TelephoneLaw]: Int16Array } = {
  g711_ulaw: tableOf(decodeUlaw),
  g711_alaw: tableOf(decodeAlaw),
}
