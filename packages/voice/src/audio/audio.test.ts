// Formats of audio, and turns by silence.
import { describe, expect, test } from 'vitest'
import { decodeG711, encodeG711 } from './g711.ts'
import { TURN_MS_MAX } from './limits.ts'
import { SampleReader, SpeechEncoder, sampleRateOf } from './samples.ts'
import { silence, voice } from './sounds.suite.ts'
import { TurnDetector } from './turn-detector.ts'
import { type TurnAudio, turnAudioMs, wavFile } from './wav.ts'

describe('[V61] telephone formats', () => {
  // Values of ITU-T G.711: the extremes, and zero.
  test.each([
    ['g711_ulaw', 0xff, 0],
    ['g711_ulaw', 0x80, 32_124],
    ['g711_ulaw', 0x00, -32_124],
    ['g711_alaw', 0xd5, 8],
    ['g711_alaw', 0xaa, 32_256],
    ['g711_alaw', 0x2a, -32_256],
  ] as const)('%s %i is %i', (law, byte, sample) => {
    expect([...decodeG711(law, Uint8Array.of(byte))]).toEqual([sample])
    expect([...encodeG711(law, Int16Array.of(sample))]).toEqual([byte])
  })

  test.each(['g711_ulaw', 'g711_alaw'] as const)('every byte of %s survives decoding and encoding', (law) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const again = encodeG711(law, decodeG711(law, bytes))
    // The µ-law has two zeros.
    expect([...again]).toEqual([...bytes].map((byte) => (law === 'g711_ulaw' && byte === 0x7f ? 0xff : byte)))
  })

  test('speech is thinned out for a telephone, whatever the sizes of its pieces', () => {
    const speech = new Uint8Array(new Int16Array(240).fill(3_000).buffer)
    const encoder = new SpeechEncoder('g711_ulaw')
    const bytes = [
      [0, 1],
      [1, 8],
      [8, 108],
      [108, 480],
    ].flatMap(([from, to]) => [...encoder.encode(speech.subarray(from, to))])
    expect(bytes).toEqual([...encodeG711('g711_ulaw', new Int16Array(80).fill(3_000))])
  })

  test('half a sample waits for its other half', () => {
    const reader = new SampleReader('pcm16')
    expect([...reader.read(Uint8Array.of(1, 0, 2))]).toEqual([1])
    expect([...reader.read(Uint8Array.of(0))]).toEqual([2])
    expect([sampleRateOf('pcm16'), sampleRateOf('g711_alaw')]).toEqual([24_000, 8_000])
  })
})

test('a recording becomes a WAV file', () => {
  const file = wavFile({ sampleRate: 8_000, samples: [Int16Array.of(1, -1), Int16Array.of(2)] })
  const view = new DataView(file.buffer)
  expect([view.getUint32(24, true), view.getUint32(40, true), file.length]).toEqual([8_000, 6, 50])
  expect([44, 46, 48].map((at) => view.getInt16(at, true))).toEqual([1, -1, 2])
})

describe('[V62] turns by silence', () => {
  const listen = (...sounds: Int16Array[]) => {
    const heard: (string | number)[] = []
    const detector = new TurnDetector(24_000, {
      started: () => heard.push('started'),
      stopped: (turn: TurnAudio | null) => heard.push(turn ? Math.round(turnAudioMs(turn)) : 'nothing'),
    })
    // Pieces that fit no frame.
    for (const sound of sounds)
      for (let at = 0; at < sound.length; at += 1_111) detector.hear(sound.subarray(at, at + 1_111))
    return heard
  }

  test('a turn has a lead-in and ends after 700 ms without voice', () => {
    expect(listen(silence(2_000), voice(1_000), silence(690))).toEqual(['started'])
    expect(listen(silence(2_000), voice(1_000), silence(720))).toEqual(['started', 1_940])
  })

  test('short pauses belong to the turn, and two turns are two', () => {
    const talk = [voice(600), silence(400), voice(600), silence(800)]
    expect(listen(...talk, ...talk)).toEqual(['started', 2_300, 'started', 2_400])
  })

  test.each([
    ['silence for a minute', [silence(60_000)], []],
    ['a click', [silence(500), voice(40), silence(1_000)], []],
    ['a cough', [silence(500), voice(120), silence(1_000)], ['started', 'nothing']],
    ['steady noise ends a turn that it began', [voice(8_000, 1_000)], ['started', 3_700]],
    [
      'somebody talks above noise',
      [voice(4_000, 600), voice(1_000, 9_000), voice(1_000, 600)],
      ['started', 3_700, 'started', 1_940],
    ],
  ] as const)('%s', (_name, sounds, expected) => expect(listen(...sounds)).toEqual(expected))

  test('[V63] a turn without end is cut', () => {
    const second = [voice(900), silence(100)]
    expect(listen(...Array.from({ length: 130 }, () => second).flat())).toEqual(['started', TURN_MS_MAX, 'started'])
  })
})
