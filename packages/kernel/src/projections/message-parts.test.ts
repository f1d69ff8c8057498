// Superseding from a mark: the places of an answer, tables first, then any order of events.

import type { Payloads } from '@bridle/events/schemas'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TextMark } from '../commands.ts'
import { applyOperations } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import { applyToState } from '../state-operations.ts'
import { conversationOperations, emptyConversation } from './conversation.ts'
import type { HarnessMessage, HarnessPart, HarnessState } from './harness-state.ts'
import { answerMark, hasOutputAfter, partText, supersedeFrom, thoughtChars } from './message-parts.ts'

const RUN = 'r-2'
const event = <T extends keyof Payloads>(type: T, payload: Payloads[T]): AnyEvent =>
  ({ seq: 1, at: 1, type, payload, run: RUN, attempt: 1 }) as unknown as AnyEvent
const begin = event('turn_start', { turn_id: RUN, prompt: 'Go' })
const fold = (events: readonly AnyEvent[]): HarnessState =>
  [begin, ...events].reduce(
    (state, each) => applyToState(state, conversationOperations(state, each)),
    emptyConversation,
  )
const answerOf = (state: HarnessState): HarnessMessage => state.messages.at(-1) as HarnessMessage

const token = (text: string) => event('token', { text })
const thinking = (text: string) => event('thinking', { text })
const call = (id: string) => event('tool_call', { name: 'read', arguments: {}, tool_call_id: id })
const supersede = (chars: number, parts: number) =>
  event('output_superseded', { run_id: RUN, attempt: 1, keep: { chars, parts } })

const tool = { type: 'tool', toolCallId: 'a' } as const
const old = (text: string): HarnessPart => ({ type: 'text', text, superseded: true })

test.each<[string, AnyEvent[], string, HarnessPart[]]>([
  ['nothing after the mark', [token('abc'), supersede(3, 1)], 'abc', [{ type: 'text', from: 0 }]],
  [
    'all of it',
    [thinking('hm'), token('abc'), supersede(0, 0)],
    '',
    [{ type: 'reasoning', text: 'hm', superseded: true }, old('abc')],
  ],
  ['a part across the mark', [token('abc'), supersede(2, 1)], 'ab', [{ type: 'text', from: 0 }, old('c')]],
  [
    'the next token begins a part of its own',
    [token('abc'), supersede(2, 1), token('d'), token('e')],
    'abde',
    [{ type: 'text', from: 0 }, old('c'), { type: 'text', from: 2 }],
  ],
  [
    'thoughts and text of a step that was cut off',
    [token('ab'), call('a'), thinking('hm'), token('cd'), supersede(2, 2), thinking('so'), token('e')],
    'abe',
    [
      { type: 'text', from: 0 },
      tool,
      { type: 'reasoning', text: 'hm', superseded: true },
      old('cd'),
      { type: 'reasoning', text: 'so' },
      { type: 'text', from: 2 },
    ],
  ],
  [
    'tools and artifacts are facts',
    [
      token('ab'),
      call('a'),
      event('artifact_published', { artifact_id: 'x', name: 'x.txt', content_type: 'text/plain', size: 1, chunks: 1 }),
      token('c'),
      supersede(0, 0),
    ],
    '',
    [old('ab'), tool, { type: 'artifact', artifactId: 'x', name: 'x.txt' }, old('c')],
  ],
  [
    'a rest goes behind the parts that stay',
    [token('abc'), thinking('hm'), supersede(1, 2), supersede(1, 2)],
    'a',
    [{ type: 'text', from: 0 }, { type: 'reasoning', text: 'hm' }, old('bc')],
  ],
  [
    'twice, further back',
    [token('abc'), supersede(2, 1), token('d'), supersede(1, 1)],
    'a',
    [{ type: 'text', from: 0 }, old('b'), old('c'), old('d')],
  ],
])('[T28] supersedes %s', (_name, events, content, parts) => {
  const answer = answerOf(fold(events))
  expect({ content: answer.content, parts: answer.parts }).toEqual({ content, parts })
})

test('[T28] a step that was cut off in a long answer is corrected with few operations', () => {
  const steps = Array.from({ length: 500 }, (_, n) => [token(`${n} `), call(`c${n}`)]).flat()
  const state = fold([...steps, thinking('hm'), token('cut')])
  const mark = answerMark(fold(steps), RUN)
  expect(conversationOperations(state, supersede(mark.chars, mark.parts)).map(({ path }) => path.slice(2))).toEqual([
    ['content'],
    ['parts', '1000'],
    ['parts', '1001'],
  ])
})

type Step = { say: AnyEvent } | { mark: true } | { back: number } | { keep: TextMark }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 0, maxLength: 4 }).map((text) => ({ say: token(text) })) },
  { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 4 }).map((text) => ({ say: thinking(text) })) },
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'c').map((id) => ({ say: call(id) })) },
  {
    weight: 1,
    arbitrary: fc.constant({
      say: event('context_compacted', { original_count: 2, compacted_count: 1, summary: 's' }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ mark: true as const }) },
  { weight: 2, arbitrary: fc.nat(3).map((back) => ({ back })) },
  { weight: 1, arbitrary: fc.record({ chars: fc.nat(12), parts: fc.nat(6) }).map((keep) => ({ keep })) },
)

test('[T28] in any order, the client has the state of the fold, and the content is the text that stays', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let state = fold([])
      let replica: HarnessState = structuredClone(state)
      /** The marks that were taken, with the text and the thoughts before them. */
      let marks: { mark: TextMark; text: string; thoughts: string }[] = []
      let [text, thoughts] = ['', '']
      const take = (each: AnyEvent) => {
        const operations = JSON.parse(JSON.stringify(conversationOperations(state, each)))
        state = applyToState(state, conversationOperations(state, each))
        replica = applyToState(replica, operations)
      }
      for (const each of steps) {
        if ('mark' in each) marks.push({ mark: answerMark(state, RUN), text, thoughts: liveThoughts(state) })
        else if ('back' in each) {
          const place = marks.at(-1 - each.back)
          if (!place) continue
          // A reasoning part that grows over a mark has no place in it: it stays.
          thoughts = liveThoughts(state, place.mark.parts)
          expect(thoughtChars(state, RUN, place.mark.parts)).toBe(thoughts.length)
          text = place.text
          marks = marks.slice(0, marks.indexOf(place) + 1)
          take(supersede(place.mark.chars, place.mark.parts))
          expect(hasOutputAfter(state, RUN, place.mark)).toBe(false)
          expect(liveThoughts(state)).toBe(thoughts)
        } else if ('keep' in each) {
          const { chars, parts } = answerMark(state, RUN)
          const keep = { chars: Math.min(chars, each.keep.chars), parts: Math.min(parts, each.keep.parts) }
          text = text.slice(0, keep.chars)
          marks = []
          take(supersede(keep.chars, keep.parts))
        } else {
          if (each.say.type === 'token') text += each.say.payload.text
          take(each.say)
        }
        const { content, parts = [] } = answerOf(state)
        expect(content).toBe(text)
        expect(parts.map((part, at) => ('superseded' in part ? '' : partText({ content, parts }, at))).join('')).toBe(
          text,
        )
        expect(replica).toEqual(state)
      }
    }),
    { numRuns: 1_000 },
  )
})

const liveThoughts = (state: HarnessState, before = Number.POSITIVE_INFINITY): string =>
  (answerOf(state).parts ?? [])
    .slice(0, before)
    .map((part) => (part.type === 'reasoning' && !part.superseded ? part.text : ''))
    .join('')

test('a message without parts is only cut', () => {
  const message = { id: 'm', role: 'assistant', content: 'abc', status: 'streaming' } as const
  const next = applyOperations(message, supersedeFrom(message, [], { chars: 1, parts: 0 }))
  expect(next).toEqual({ ...message, content: 'a' })
})
