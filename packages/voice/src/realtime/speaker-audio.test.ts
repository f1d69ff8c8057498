import { expect, test } from 'vitest'
import { WAV_HEAD_BYTES } from '../audio/wav.ts'
import { SpeakerAudio } from './speaker-audio.ts'

const MS_BYTES = 48
const piece = (ms: number, value: number) => new Uint8Array(ms * MS_BYTES).fill(value)
const connection = {}
const committed = (turn: string) => ({ type: 'turn_committed', turn }) as const
const samplesOf = (speaker: SpeakerAudio, id: string) => [
  ...new Set(speaker.take(id)?.()?.bytes.subarray(WAV_HEAD_BYTES) ?? []),
]

test('[V93] audio of a turn that the provider drops is in no later turn, in turns of either kind', () => {
  const manual = new SpeakerAudio('pcm16', 'manual')
  manual.hear(piece(100, 1), connection)
  manual.drop()
  for (const [index, id] of ['one', 'two'].entries()) {
    manual.hear(piece(50, index + 2), connection)
    manual.end(null)
    manual.handle(committed(id))
    expect(samplesOf(manual, id)).toEqual([index + 2])
  }
  const silence = new SpeakerAudio('pcm16', 'silence')
  silence.hear(piece(100, 1), connection)
  silence.handle({ type: 'speech_started', ms: 50 })
  silence.drop()
  silence.hear(piece(50, 2), connection)
  silence.handle({ type: 'speech_started', ms: 60 })
  silence.handle({ type: 'speech_stopped', ms: 150 })
  silence.handle(committed('three'))
  expect(samplesOf(silence, 'three')).toEqual([2])
})
