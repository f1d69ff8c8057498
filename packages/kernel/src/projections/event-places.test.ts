// [F60] Events between pieces of text know how far the answer was when they came.

import { expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { call, eventReport, finished, outcome, running, started, stopped, token } from '../rules/rules.suite.ts'
import { applyToState } from '../state-operations.ts'
import { conversationOperations, emptyConversation } from './conversation.ts'
import { EVENT_PLACES_MAX } from './event-places.ts'

const checkpoint = (text: string) =>
  eventReport('session_checkpoint', { checkpoint_type: 'step', status: 'completed', summary_text: text })

/** The places of an answer by the type of their event. */
const placesOf = (life: ReturnType<typeof running>, message = life.answer) =>
  message.places?.map(({ seq, parts, chars }) => [life.log.find((event) => event.seq === seq)?.type, parts, chars])

test('[F60] a checkpoint between two texts, and behind a call, keeps its place while text follows', () => {
  const life = running()
  life.report(checkpoint('none yet'), token('one '), checkpoint('one'), token('two'), call('c1'), outcome('c1'))
  life.report(checkpoint('called'), token(' three'), eventReport('retrieval', { citations: [1] }), token(' four'))
  expect(placesOf(life)).toEqual([
    ['session_checkpoint', 0, 0],
    ['session_checkpoint', 1, 4],
    ['session_checkpoint', 2, 7],
    ['retrieval', 3, 13],
  ])
  expect(life.answer.content).toBe('one two three four')
})

test('[F60] two turns have their own places, and a pause without a turn stands in the answer that it interrupts', () => {
  const life = running()
  life.report(token('first'), checkpoint('a'), token(' answer'), finished())
  const first = life.answer
  life.do({ type: 'set_policy', policy: { health: { max_cost_usd: 2 } } })
  life.submit('again')
  life.report(started(), token('half'))
  life.do({ type: 'pause' })
  life.report(stopped)
  life.do({ type: 'resume' })
  life.report(started(), token(' whole'))
  expect(
    placesOf(
      life,
      life.messages.find(({ id }) => id === first.id),
    )?.[0],
  ).toEqual(['session_checkpoint', 1, 5])
  expect(placesOf(life)?.map(([type]) => type)).toEqual(expect.arrayContaining(['session_paused', 'session_resumed']))
  expect(placesOf(life)?.find(([type]) => type === 'session_paused')).toEqual(['session_paused', 1, 4])
})

test('[F60] an event that comes after the end of an answer is not in it, and hearsay never is', () => {
  const life = running()
  life.report(token('done'), finished())
  const before = life.answer
  life.do({ type: 'set_policy', policy: {} })
  expect(life.answer).toEqual(before)
  const hearsay = { seq: 9, at: 1, run: life.answer.runId, hearsay: true, type: 'session_checkpoint', payload: {} }
  expect(conversationOperations(life.state.conversation, hearsay as unknown as AnyEvent)).toEqual([])
})

test('[F60] a text that replaces the streamed one keeps the places behind the parts that remain', () => {
  const life = running()
  life.report(token('one'), call('c1'), outcome('c1'), checkpoint('called'), token('two'), checkpoint('end'))
  life.report(eventReport('response', { text: 'One, two.' }))
  expect(life.answer.parts?.map(({ type }) => type)).toEqual(['tool', 'text'])
  expect(placesOf(life)).toEqual([
    ['session_checkpoint', 1, 3],
    ['session_checkpoint', 2, 6],
  ])
})

test('[F60] a piece of text notes nothing, and an answer notes a limited number of events', () => {
  const life = running()
  life.report(...Array.from({ length: EVENT_PLACES_MAX + 5 }, (_, at) => checkpoint(`${at}`)))
  life.report(token('text'), checkpoint('late'))
  expect(life.answer.places).toHaveLength(EVENT_PLACES_MAX)
  const folded = life.log.reduce(
    (state, event) => applyToState(state, conversationOperations(state, event)),
    emptyConversation,
  )
  expect(folded).toEqual(life.state.conversation)
})
