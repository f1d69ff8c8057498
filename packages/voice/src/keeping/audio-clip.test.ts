import { expect, test } from 'vitest'
import { encodeG711 } from '../audio/g711.ts'
import { bytesOf, voice } from '../audio/sounds.suite.ts'
import { AudioClip, type AudioFile } from './audio-clip.ts'
import { wavContent } from './kept-audio.suite.ts'

const contentOf = (file: AudioFile | null) => wavContent(Buffer.from(file?.bytes ?? []))

test('[V93] pcm16 becomes a file as it is, whatever pieces it came in, up to what was heard', () => {
  const audio = bytesOf(voice(100))
  const clip = new AudioClip('pcm16')
  for (let at = 0; at < audio.length; at += 101) clip.add(audio.subarray(at, at + 101))
  expect(clip.ms).toBe(100)
  const whole = clip.file()
  expect(whole).toMatchObject({ audioMs: 100, isCut: false })
  expect(contentOf(whole)).toEqual({ sampleRate: 24_000, data: Buffer.from(audio) })
  const part = clip.file(33.3)
  expect(part).toMatchObject({ isCut: false })
  expect(contentOf(part).data).toEqual(Buffer.from(audio.subarray(0, 1_598)))
  expect(clip.file(0)).toBeNull()
  expect(clip.file(1e9)).toEqual(whole)
})

test.each(['g711_ulaw', 'g711_alaw'] as const)('[V93] %s becomes 16 bits with the samples of a telephone', (format) => {
  const samples = Int16Array.from({ length: 800 }, (_, index) => (index - 400) * 80)
  const clip = new AudioClip(format)
  clip.add(encodeG711(format, samples))
  const { sampleRate, data } = contentOf(clip.file())
  expect([sampleRate, data.length]).toEqual([8_000, 1_600])
  for (const [index, sample] of samples.entries())
    expect(Math.abs(data.readInt16LE(index * 2) - sample)).toBeLessThanOrEqual(Math.max(8, Math.abs(sample) / 16))
})

test('[V95] audio beyond two minutes is cut, and says so', () => {
  const minute = new Uint8Array(60_000 * 8).fill(7)
  const clip = new AudioClip('g711_ulaw')
  clip.add(minute)
  clip.add(minute)
  expect(clip.file()).toMatchObject({ audioMs: 120_000, isCut: false })
  clip.add(minute)
  expect(clip.ms).toBe(180_000)
  expect(clip.file()).toMatchObject({ audioMs: 120_000, isCut: true })
  // Nobody has heard more than was kept.
  expect(clip.file(90_000)).toMatchObject({ audioMs: 90_000, isCut: false })
})
