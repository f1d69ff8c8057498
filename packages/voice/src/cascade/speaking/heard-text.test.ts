// How much of an answer was heard, and the playback that says so.

import { VirtualClock } from '@bridle/kernel/host/host.suite'
import { describe, expect, test } from 'vitest'
import { heardText } from './heard-text.ts'
import { Playback, positionOf } from './playback.ts'
import { noticeOf, type SentSpeech, type Utterance } from './utterance.ts'

const content = 'One two. Three four five.'
const part = (from: number, to: number, more: Partial<Utterance> = {}): Utterance => ({
  ...{ from, to, words: content.slice(from, to).trim() },
  ...{ runId: 'r', isWhole: false, isNotice: false, ...more },
})
const sent = (utterance: Utterance, startMs: number, endMs: number, state: SentSpeech['state'] = 'complete') => ({
  ...{ utterance, item: 'i', startMs, endMs, state },
})
const speech = [sent(part(0, 9), 0, 900), sent(noticeOf('r', 'Wait.'), 900, 1_900), sent(part(9, 25), 1_900, 3_500)]

describe('[V68] a listener has heard', () => {
  test.each([
    ['nothing', 0, 0, 0],
    ['a part of a word', 200, 0, 200],
    ['a word', 350, 3, 350],
    ['a sentence', 900, 9, 900],
    ['a sentence and a part of a notice', 1_500, 9, 900],
    ['words of the second sentence', 3_000, 19, 2_000],
    ['everything', 3_500, 25, 2_500],
    ['more than there is', 9_999, 25, 2_500],
  ])('%s', (_name, playedMs, chars, audioMs) =>
    expect(heardText(speech, { runId: 'r', playedMs, content })).toEqual({ runId: 'r', chars, audioMs }),
  )

  test('less of a sentence whose audio is still coming than of one that is complete', () => {
    const coming = [sent(part(0, 25), 0, 800, 'coming')]
    expect(heardText(coming, { runId: 'r', playedMs: 800, content }).chars).toBe(8)
    expect(heardText([{ ...coming[0]!, state: 'complete' }], { runId: 'r', playedMs: 800, content }).chars).toBe(25)
  })

  test('a block as a whole or not at all, and nothing of another run', () => {
    const block = [sent(part(0, 9), 0, 900), sent(part(9, 25, { isWhole: true }), 900, 1_900)]
    expect([1_899, 1_900].map((playedMs) => heardText(block, { runId: 'r', playedMs, content }).chars)).toEqual([9, 25])
    expect(heardText(block, { runId: 'other', playedMs: 9_999, content })).toEqual({
      runId: 'other',
      chars: 0,
      audioMs: 0,
    })
  })

  test('no more than the answer has, where a retry has withdrawn text', () => {
    expect(heardText(speech, { runId: 'r', playedMs: 9_999, content: 'One' }).chars).toBe(3)
  })
})

describe('[V68] playback', () => {
  const play = async () => {
    const clock = new VirtualClock()
    const playback = new Playback(clock)
    const first = playback.begin(part(0, 9))
    playback.send(first, 1_000)
    first.state = 'complete'
    await clock.pass(400)
    return { clock, playback, first }
  }

  test('goes on in real time, and waits for audio that comes late', async () => {
    const { clock, playback, first } = await play()
    expect([playback.playedMs, playback.aheadMs]).toEqual([400, 600])
    await clock.pass(5_000)
    expect([playback.playedMs, playback.unplayed]).toEqual([1_000, []])
    playback.send(first, 500)
    await clock.pass(100)
    expect(playback.playedMs).toBe(1_100)
  })

  test('is where the client says, within what it has', async () => {
    const { playback, first } = await play()
    playback.report(first.item, 250)
    expect(playback.playedMs).toBe(250)
    playback.report('unknown', 900)
    expect(playback.playedMs).toBe(250)
    expect([-5, 99_999].map((ms) => positionOf(playback.speech, first.item, ms))).toEqual([0, 1_000])
  })

  test('has an item for an answer, for a notice and for the rest of the answer', async () => {
    const { playback, first } = await play()
    const items = [part(9, 12), noticeOf('r', 'Wait.'), part(12, 25), part(0, 9, { runId: 's' })].map(
      (utterance) => playback.begin(utterance).item,
    )
    expect(items[0]).toBe(first.item)
    expect(new Set(items).size).toBe(4)
  })
})
