/** The size of a minimal WAV header. */
export const WAV_HEAD_BYTES = 44

export interface TurnAudio {
  readonly sampleRate: number
  readonly samples: readonly Int16Array[]
}

export const turnAudioMs = ({ sampleRate, samples }: TurnAudio): number =>
  (samples.reduce((sum, { length }) => sum + length, 0) * 1000) / sampleRate

export const wavFile = ({ sampleRate, samples }: TurnAudio): Uint8Array<ArrayBuffer> => {
  const size = samples.reduce((sum, { length }) => sum + length, 0) * 2
  const file = new Uint8Array(WAV_HEAD_BYTES + size)
  file.set(wavHead(sampleRate, size))
  const view = new DataView(file.buffer)
  let at = WAV_HEAD_BYTES
  for (const piece of samples)
    for (const sample of piece) {
      view.setInt16(at, sample, true)
      at += 2
    }
  return file
}

export const wavHead = (sampleRate: number, size: number): Uint8Array<ArrayBuffer> => {
  const head = new Uint8Array(WAV_HEAD_BYTES)
  const view = new DataView(head.buffer)
  const text = (at: number, name: string) => {
    for (let index = 0; index < name.length; index++) view.setUint8(at + index, name.charCodeAt(index))
  }
  text(0, 'RIFF')
  view.setUint32(4, WAV_HEAD_BYTES + size - 8, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, size, true)
  return head
}
