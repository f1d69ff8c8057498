import { expect, test } from 'vitest'
import { nextStep, PLAY_CALM_MS, PLAY_EVENT_MS, PLAY_TEXT_MS, PLAY_TEXT_PIECES } from './playback.ts'

const types = ['turn_start', ...new Array(10).fill('token'), 'tool_call', 'thinking', 'turn_end']
const log = { head: types.length, typeOf: (seq: number) => types[seq - 1] }

const played = (isCalm: boolean): readonly (readonly [number, number])[] => {
  const steps: [number, number][] = []
  for (let step = nextStep(log, 1, isCalm); step; step = nextStep(log, step.seq, isCalm))
    steps.push([step.seq, step.stayMs])
  return steps
}

test('[C34] events play one by one, and pieces of text in groups', () => {
  expect(played(false)).toEqual([
    [1 + PLAY_TEXT_PIECES, PLAY_TEXT_MS],
    [11, PLAY_TEXT_MS],
    [12, PLAY_EVENT_MS],
    [13, PLAY_TEXT_MS],
    [14, PLAY_EVENT_MS],
  ])
})

test('[C34] a reader who wants little motion sees a jump from event to event', () => {
  expect(played(true)).toEqual([
    [12, PLAY_CALM_MS],
    [14, PLAY_CALM_MS],
  ])
})
