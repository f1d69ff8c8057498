// The phase that a page shows, event by event.
import { expect, test } from 'vitest'
import { OPEN } from '../voice/fake-voice-server.suite.ts'
import type { FabricVoiceEvent } from '../voice/options.ts'
import { type DialogueEvent, factsAfter, initialFacts, stateOf, type VoiceDialogueState } from './state.ts'

type Step = FabricVoiceEvent | DialogueEvent
const open: Step = { ...OPEN, isReconnect: false }
const on: Step = { type: 'microphone', hasMicrophone: true }
const press: Step = { type: 'pressed', isPressed: true }
const release: Step = { type: 'pressed', isPressed: false, hasRecorded: true }
const nothing: Step = { type: 'pressed', isPressed: false, hasRecorded: false }
const started: Step = { type: 'speech', state: 'started' }
const stopped: Step = { type: 'speech', state: 'stopped' }
const asked: Step = { type: 'transcript', role: 'user', text: 'Time?', runId: 'r', messageId: '1' }
const playing: Step = { type: 'playing', isPlaying: true }
const silent: Step = { type: 'playing', isPlaying: false }
const done: Step = { type: 'response_done', runId: 'r', status: 'completed', cursor: 'ev-9' }
const call: Step = { type: 'tool_call', id: 'c', name: 'clock', input: {}, runId: 'r' }
const question: Step = { ...call, approval: { id: 'a', reason: 'It costs.' } }
const delta = (text: string): Step => ({ type: 'text_delta', role: 'assistant', delta: text, runId: 'r' })

const play = (isHandsFree: boolean, steps: readonly Step[]): VoiceDialogueState[] => {
  let facts = initialFacts(isHandsFree)
  return steps.map((step) => {
    facts = factsAfter(facts, step)
    return stateOf(facts)
  })
}

test.each<[string, boolean, [Step, string][]]>([
  [
    'a turn of push-to-talk',
    false,
    [
      [on, 'connecting'],
      [open, 'ready'],
      [press, 'hearing'],
      [release, 'thinking'],
      [asked, 'thinking'],
      [delta('It is'), 'thinking'],
      [playing, 'speaking'],
      [done, 'speaking'],
      [silent, 'ready'],
    ],
  ],
  [
    'hands-free, with an interruption',
    true,
    [
      [open, 'ready'],
      [on, 'listening'],
      [started, 'hearing'],
      [stopped, 'listening'],
      [asked, 'thinking'],
      [playing, 'speaking'],
      [started, 'hearing'],
      [silent, 'hearing'],
      [{ ...done, status: 'interrupted' }, 'hearing'],
      [stopped, 'listening'],
    ],
  ],
  [
    'an approval, which another wire answers',
    true,
    [
      [open, 'ready'],
      [on, 'listening'],
      [asked, 'thinking'],
      [call, 'thinking'],
      [question, 'approval'],
      [playing, 'speaking'],
      [silent, 'approval'],
      [call, 'thinking'],
      [question, 'approval'],
      [delta('Done.'), 'thinking'],
      [done, 'listening'],
    ],
  ],
  [
    'a broken connection in the middle of an answer, and the end',
    true,
    [
      [on, 'connecting'],
      [open, 'listening'],
      [started, 'hearing'],
      [{ type: 'reconnecting', waitMs: 1, tries: 1 }, 'reconnecting'],
      [{ ...OPEN, isReconnect: true }, 'listening'],
      [{ type: 'closed', code: 1000, reason: '' }, 'closed'],
    ],
  ],
  [
    'a turn that was not understood',
    false,
    [
      [open, 'ready'],
      [press, 'hearing'],
      [nothing, 'ready'],
      [press, 'hearing'],
      [release, 'thinking'],
      [{ type: 'error', code: 'speech_not_understood', message: 'Say it again.' }, 'ready'],
    ],
  ],
])('[V83] %s', (_name, isHandsFree, steps) => {
  const phases = play(
    isHandsFree,
    steps.map(([step]) => step),
  ).map(({ phase }) => phase)
  expect(phases).toEqual(steps.map(([, phase]) => phase))
})

test('[V83] captions grow as words come, and an interrupted one keeps what was heard', () => {
  const spoken: Step = {
    type: 'transcript',
    role: 'assistant',
    text: 'It is',
    runId: 'r',
    messageId: '2',
    interrupted: true,
  }
  const { captions } = play(true, [open, asked, delta('It is '), delta('noon.')]).at(-1)!
  expect(captions).toEqual([
    { id: 'r/user', role: 'user', text: 'Time?', isFinal: true, isInterrupted: false },
    { id: 'r/assistant', role: 'assistant', text: 'It is noon.', isFinal: false, isInterrupted: false },
  ])
  const cut = play(true, [open, asked, delta('It is '), delta('noon.'), spoken]).at(-1)!
  expect(cut.captions[1]).toEqual({
    id: 'r/assistant',
    role: 'assistant',
    text: 'It is',
    isFinal: true,
    isInterrupted: true,
  })
  const many = Array.from({ length: 9 }, (_, at): Step => ({ ...asked, runId: `r${at}` }))
  expect(
    play(true, many)
      .at(-1)
      ?.captions.map(({ id }) => id),
  ).toEqual(['r3/user', 'r4/user', 'r5/user', 'r6/user', 'r7/user', 'r8/user'])
})

test('[V83] a problem stays until the person speaks again', () => {
  const problem: Step = { type: 'problem', problem: { code: 'microphone_denied', message: 'Allow it.' } }
  const states = play(false, [open, problem, press])
  expect(states.map((state) => state.problem?.code)).toEqual([undefined, 'microphone_denied', undefined])
})

test('[V45] after a broken connection the captions of an unfinished answer come again, once', () => {
  const again: Step = { ...OPEN, isReconnect: true }
  const [first, second] = [
    { ...asked, runId: 'q' },
    { ...done, runId: 'q' },
  ]
  const states = play(true, [open, first, second, asked, delta('It is'), again, asked, delta('It is'), delta(' five.')])
  expect(states.at(-1)?.captions.map(({ id, text }) => [id, text])).toEqual([
    ['q/user', 'Time?'],
    ['r/user', 'Time?'],
    ['r/assistant', 'It is five.'],
  ])
})
