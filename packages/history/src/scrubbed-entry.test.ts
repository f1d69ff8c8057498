import { EVENT_TYPES } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import { expect, test } from 'vitest'
import { entryOf } from './scrubbed-entry.ts'

const event = (type: string, payload: object, more: object = {}) =>
  ({ seq: 7, at: 70, type, payload, frame: 3, ...more }) as unknown as AnyEvent

test('[X1] an entry has everything of an event but the place in its runner’s stream', () => {
  const more = { run: 'r-2', attempt: 2, continues: 1, hearsay: true }
  expect(entryOf(event('token', { text: 'Hi' }, more))).toEqual({
    ...{ seq: 7, at: 70, type: 'token', payload: { text: 'Hi' } },
    ...{ run: 'r-2', attempt: 2, continues: 1, hearsay: true },
  })
})

test('[X3] handles of engines and runners stay on the server', () => {
  const handle = { sandbox: 'sb-1', url: 'http://10.0.0.2:7000', token: 'CANARY', nested: ['CANARY'] }
  const started = { run_id: 'r-2', attempt: 1, model: 'm', durable: false }
  expect(entryOf(event('run_started', { ...started, handle })).payload).toEqual({
    ...started,
    handle: { sandbox: 'sb-1' },
  })
  expect(entryOf(event('run_started', { ...started, handle: 'CANARY' })).payload).toEqual(started)
  expect(
    entryOf(event('run_requested', { run_id: 'r-2', attempt: 2, resume: 'CANARY', continues: 1 })).payload,
  ).toEqual({
    run_id: 'r-2',
    attempt: 2,
    continues: 1,
  })
  expect(entryOf(event('resume_handle', { run_id: 'r-2', handle: 'CANARY' }))).toMatchObject({
    withheld: true,
    payload: {},
  })
})

test.each(['model_step', 'context_added', 'step_done', 'memory_set', 'a_type_of_tomorrow', '__proto__', 'toString'])(
  '[X3] %s is counted and not shown',
  (type) => {
    expect(entryOf(event(type, { text: 'CANARY' }, { run: 'r-2', attempt: 1, hearsay: true }))).toEqual({
      ...{ seq: 7, at: 70, type, run: 'r-2', attempt: 1, withheld: true, payload: {} },
    })
  },
)

test('[X3] the rest of the catalogue is shown', () => {
  const withheld = EVENT_TYPES.filter((type) => entryOf(event(type, { text: 'x' })).withheld)
  expect(withheld.sort()).toEqual([
    'context_added',
    'memory_set',
    'model_step',
    'resume_handle',
    'session',
    'step_done',
  ])
})

test('[X4] bytes are as they are, where the server itself says that they are bytes', () => {
  const text = `////AIza${'Q1'.repeat(20)}`
  const payload = { artifact_id: 'art-1', index: 0, text, encoding: 'base64' }
  expect(entryOf(event('artifact_chunk', payload)).payload).toEqual(payload)
  expect(JSON.stringify(entryOf(event('artifact_chunk', payload, { hearsay: true })))).not.toContain('AIza')
  expect(JSON.stringify(entryOf(event('artifact_chunk', { ...payload, encoding: undefined })))).not.toContain('AIza')
})
