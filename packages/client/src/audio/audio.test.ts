// The arithmetic of the worklet, without a browser.
import { describe, expect, test } from 'vitest'
import { type CaptureFrame, CaptureFrames, LINE_RATE } from './capture-frames.ts'
import { PcmPieces } from './loudspeaker.ts'
import { PlaybackQueue, type PlaybackReport } from './playback-queue.ts'
import { Resampler } from './resampler.ts'

const tone = (hertz: number, rate: number, seconds: number): Float32Array =>
  Float32Array.from({ length: rate * seconds }, (_, at) => 0.5 * Math.sin((2 * Math.PI * hertz * at) / rate))

const loudness = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

/** In blocks as a worklet gets them. */
const inBlocks = (samples: Float32Array, push: (block: Float32Array) => void, length = 128): void => {
  for (let at = 0; at < samples.length; at += length) push(samples.subarray(at, at + length))
}

const resampled = (samples: Float32Array, from: number, to: number): Float32Array => {
  const resampler = new Resampler(from, to)
  const pieces: number[] = []
  inBlocks(samples, (block) => pieces.push(...resampler.push(block)))
  return Float32Array.from(pieces)
}

describe('the resampler', () => {
  test.each([
    [48_000, LINE_RATE],
    [44_100, LINE_RATE],
    [16_000, LINE_RATE],
    [96_000, LINE_RATE],
    [LINE_RATE, 48_000],
    [LINE_RATE, 44_100],
  ])('[V81] a tone at %d is the same tone at %d', (from, to) => {
    const output = resampled(tone(1_000, from, 1), from, to)
    expect(Math.abs(output.length - to)).toBeLessThan(200)
    const expected = tone(1_000, to, 1)
    // The beginning and the end lack their neighbours.
    const differences = Array.from(output.subarray(400, -400), (sample, at) =>
      Math.abs(sample - (expected[at + 400] ?? 0)),
    )
    expect(Math.max(...differences)).toBeLessThan(0.005)
  })

  test('[V81] what the lower rate cannot carry is removed, not mirrored', () => {
    expect(loudness(resampled(tone(18_000, 48_000, 1), 48_000, LINE_RATE))).toBeLessThan(0.005)
    expect(loudness(resampled(tone(3_000, 48_000, 1), 48_000, LINE_RATE))).toBeCloseTo(0.5 / Math.SQRT2, 2)
  })

  test('blocks of any length make no difference', () => {
    const input = tone(440, 44_100, 0.2)
    const whole = new Resampler(44_100, LINE_RATE).push(input)
    const resampler = new Resampler(44_100, LINE_RATE)
    const pieces: number[] = []
    inBlocks(input, (block) => pieces.push(...resampler.push(block)), 37)
    expect(Float32Array.from(pieces)).toEqual(whole)
  })
})

describe('the microphone', () => {
  const framesOf = (samples: Float32Array, rate: number): CaptureFrame[] => {
    const frames: CaptureFrame[] = []
    const capture = new CaptureFrames(rate, (frame) => frames.push(frame))
    inBlocks(samples, (block) => capture.push(block))
    return frames
  }

  test('[V81] hands out 20 ms of pcm16 at 24,000 samples a second, whatever its own rate is', () => {
    for (const rate of [24_000, 44_100, 48_000]) {
      const frames = framesOf(tone(500, rate, 1), rate)
      expect(frames.length).toBeGreaterThanOrEqual(49)
      expect(new Set(frames.map(({ samples }) => samples.byteLength))).toEqual(new Set([960]))
    }
  })

  test('[V81] silence has level 0, speech is above it, and loud samples are clipped', () => {
    expect(framesOf(new Float32Array(4_800), 24_000).map(({ level }) => level)).toEqual(Array(10).fill(0))
    const [frame] = framesOf(new Float32Array(480).fill(2), 24_000)
    expect([frame?.level, frame?.samples[0]]).toEqual([1, 32_767])
    expect(framesOf(new Float32Array(480).fill(-2), 24_000)[0]?.samples[0]).toBe(-32_768)
    expect(framesOf(tone(500, 24_000, 0.02), 24_000)[0]?.level).toBe(1)
  })
})

describe('the speaker', () => {
  const queueAt = (rate = LINE_RATE) => {
    const reports: PlaybackReport[] = []
    const queue = new PlaybackQueue(rate, (report) => reports.push(report))
    const fill = (length: number) => {
      const output = new Float32Array(length)
      queue.fill(output)
      return output
    }
    return { queue, reports, fill }
  }
  const ramp = (length: number, from = 0) => Int16Array.from({ length }, (_, at) => from + at)

  test('[V82] plays every sample once and in order, over pieces and items, and silence afterwards', () => {
    const { queue, fill, reports } = queueAt()
    queue.push('a', ramp(3))
    queue.push('a', ramp(2, 3))
    queue.push('b', ramp(2, 5))
    const output = [...fill(4), ...fill(4), ...fill(4)].map((sample) => sample * 32_768)
    expect(output).toEqual([0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0])
    expect(reports).toEqual([
      { item: 'a', ms: 5 / 24, isIdle: false, isStopped: false },
      { item: 'b', ms: 2 / 24, isIdle: true, isStopped: false },
    ])
  })

  test('[V82] reports ten times a second, by its count of samples', () => {
    const { queue, fill, reports } = queueAt()
    queue.push('a', new Int16Array(LINE_RATE))
    for (let at = 0; at < 200; at += 1) fill(120)
    expect(reports.map(({ ms }) => ms)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000])
    expect(reports.map(({ isIdle }) => isIdle)).toEqual([...Array(9).fill(false), true])
  })

  test('[V82] stops an item at once and reports it, and plays on with the others', () => {
    const { queue, fill, reports } = queueAt()
    for (const item of ['a', 'b', 'c']) queue.push(item, ramp(240))
    fill(120)
    queue.stop('b')
    queue.stop('a')
    expect(reports).toEqual([
      { item: 'b', ms: 0, isIdle: false, isStopped: true },
      { item: 'a', ms: 5, isIdle: false, isStopped: true },
    ])
    expect(fill(2)[1]).toBe(1 / 32_768)
    queue.stop(null)
    expect(reports.at(-1)).toEqual({ item: 'c', ms: 2 / 24, isIdle: true, isStopped: true })
    expect(fill(2)).toEqual(new Float32Array(2))
    queue.push('d', ramp(2))
    fill(2)
    expect(reports.at(-1)).toEqual({ item: 'd', ms: 2 / 24, isIdle: true, isStopped: false })
  })

  test('[V82] what was played whole is still known when it is stopped afterwards', () => {
    const { queue, fill, reports } = queueAt()
    queue.push('a', ramp(240))
    fill(480)
    queue.stop('a')
    queue.stop(null)
    expect(reports).toEqual([false, true, true].map((isStopped) => ({ item: 'a', ms: 10, isIdle: true, isStopped })))
  })

  test('[V82] counts in milliseconds of the line where the speaker has another rate', () => {
    const { queue, fill, reports } = queueAt(48_000)
    for (let at = 0; at < 10; at += 1) queue.push('a', ramp(2_400))
    for (let at = 0; at < 400; at += 1) fill(128)
    expect(reports.at(-1)?.ms).toBeGreaterThan(998)
    expect(reports.at(-1)?.ms).toBeLessThanOrEqual(1_000)
  })

  test('keeps ten minutes, and drops what is above', () => {
    const { queue, fill, reports } = queueAt()
    const minute = new Int16Array(LINE_RATE * 60)
    for (let at = 0; at < 12; at += 1) queue.push('a', minute)
    fill(LINE_RATE * 60 * 12)
    expect(reports.at(-1)?.ms).toBe(600_000)
  })
})

describe('pieces of audio', () => {
  const piece = (...bytes: number[]) => Uint8Array.from(bytes)

  test('[V82] a sample in two pieces is whole, and belongs to one item alone', () => {
    const pieces = new PcmPieces()
    expect([...pieces.push('a', piece(1, 0, 2))]).toEqual([1])
    expect([...pieces.push('a', piece(0, 3))]).toEqual([2])
    expect([...pieces.push('b', piece(4, 0))]).toEqual([4])
  })

  test('[V82] audio of an item that still comes after its stop is dropped, and the next item is played', () => {
    const pieces = new PcmPieces()
    pieces.push('a', piece(1, 0, 2))
    pieces.stop('of-another-time')
    expect([...pieces.push('a', piece(0))]).toEqual([2])
    pieces.stop()
    expect([...pieces.push('a', piece(3, 0))]).toEqual([])
    expect([...pieces.push('b', piece(4, 0))]).toEqual([4])
    pieces.stop('b')
    expect([...pieces.push('b', piece(5, 0))]).toEqual([])
    expect([...pieces.push('c', piece(6, 0))]).toEqual([6])
  })
})
