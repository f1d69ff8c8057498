import { ARTIFACTS_MAX, INLINE_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import { describe, expect, test } from 'vitest'
import { CHUNK_CHARS } from '../text/chunks.ts'
import {
  background,
  call,
  eventReport,
  failed,
  finished,
  outcome,
  running,
  started,
  TestSession,
  token,
} from './rules.suite.ts'

describe('[S10] what is not heard', () => {
  test.each<[string, { runId?: string; attempt?: number; frame?: number }, object]>([
    ['another run', { runId: 'r-99' }, { dropped: 'run' }],
    ['an earlier attempt', { attempt: 0 }, { dropped: 'run' }],
    ['a later attempt', { attempt: 2 }, { dropped: 'run' }],
    ['a frame that was committed', { frame: 1 }, { dropped: 'frame' }],
    ['a frame before that', { frame: 0 }, { dropped: 'frame' }],
  ])('%s', (_name, other, answer) => {
    const life = running()
    life.report(token('Hi'))
    const before = life.state
    const given = { runId: 'r-2', attempt: 1, frame: 2, ...other }
    expect(life.do({ type: 'report', ...given, items: [token('late'), finished()] })).toMatchObject(answer)
    expect(life.state).toBe(before)
  })

  test('anything after the end of the run', () => {
    const life = running()
    const { runId, attempt } = life.run
    life.report(finished())
    life.do({ type: 'report', runId, attempt, frame: 50, items: [token('late')] })
    expect(life.last).toEqual([])
  })

  test('what follows a terminal item in the same report', () => {
    const life = running()
    life.submit('next')
    life.report(finished(), token('late'), failed())
    expect(life.payloads('turn_end')).toHaveLength(1)
    expect(life.payloads('token')).toEqual([])
    expect(life.run).toMatchObject({ text: 'next', phase: 'requested' })
  })

  test.each(['session', 'from_the_future', 'constructor', '__proto__'])(
    'an event that is none of the log: %s',
    (type) => {
      const life = running()
      life.report({ type: 'event', event: { type, payload: { session_id: 'x' } } } as never)
      expect(life.last).toEqual([])
    },
  )

  test('events before the run was started', () => {
    const life = new TestSession()
    life.submit()
    life.report(token('early'))
    expect(life.last).toEqual([])
  })
})

test('[S10] the last frame of a run says nothing of the next one', () => {
  const life = running()
  life.submit('next')
  const { runId, attempt } = life.run
  life.do({ type: 'report', runId, attempt, frame: 7, items: [finished()] })
  expect(life.run.frame).toBe(-1)
  life.do({ type: 'report', runId: life.run.runId, attempt: 1, frame: 0, items: [started()] })
  expect(life.run).toMatchObject({ phase: 'started', frame: 0 })
})

test('[S10] the committed frame moves with each report, and our own words do not move it', () => {
  const life = running()
  const { runId, attempt } = life.run
  life.do({ type: 'report', runId, attempt, frame: 41, items: [token('a')] })
  expect(life.run.frame).toBe(41)
  life.do({ type: 'report', runId, attempt, frame: null, items: [token('b')] })
  expect(life.run.frame).toBe(41)
  expect(life.answer.content).toBe('ab')
})

test.each<[string, string, object[]]>([
  ['a part of it stays', 'Half a loaf.', [{ response: 'Half a' }, { token: ' loaf.' }]],
  ['nothing stays', '', [{ response: '' }]],
  ['it only goes on', 'Half an ans🙂wer.', [{ token: 'wer.' }]],
  ['it is the same', 'Half an ans🙂', []],
  ['half a character is none', 'Half an ans🙁', [{ response: 'Half an ans' }, { token: '🙁' }]],
])('[E3] streamed text is replaced from where it differs: %s', (_name, text, expected) => {
  const life = running()
  life.report(eventReport('thinking', { text: 'Hm.' }), token('Half an ans🙂'))
  life.report(eventReport('response', { text, so_far: true }))
  const written = life.last.flatMap(({ type, payload }) =>
    type === 'response' || type === 'token' ? [{ [type]: payload.text }] : [],
  )
  expect([written, life.answer.content]).toEqual([expected, text])
  for (const { type, payload } of life.last) if (type === 'response') expect(payload.thinking_chars).toBe(3)
})

test('[E7] a second outcome of a call is dropped', () => {
  const life = running()
  life.report(call('c1'), outcome('c1', 'ok', { result: 1 }))
  life.report(outcome('c1', 'error'))
  expect(life.last).toEqual([])
  expect(life.answer.toolCalls).toMatchObject([{ outcome: 'ok', result: 1 }])
})

test('an outcome of a call that was never made is dropped', () => {
  const life = running()
  life.report(outcome('c1'))
  expect(life.last).toEqual([])
})

test('[E7] a call that is open is not begun a second time, so each call has one outcome', () => {
  const life = running()
  life.report(call('c1'), call('c1'))
  life.report(finished())
  expect(life.answer.toolCalls).toMatchObject([{ id: 'c1', status: 'complete' }])
  life.submit('next')
  life.report(started(), call('c1'), outcome('c1'), call('c1'), outcome('c1', 'error'))
  expect(life.answer.toolCalls).toMatchObject([{ status: 'complete' }, { status: 'error' }])
})

test('[E6] a call keeps its id among its arguments on the wire, and beside them in the message', () => {
  const life = running()
  life.report(call('c1', 'pure', 'read', { path: 'a' }))
  expect(life.payloads('tool_call')).toEqual([
    { name: 'read', arguments: { path: 'a', _tool_call_id: 'c1' }, tool_call_id: 'c1', effect: 'pure' },
  ])
  expect(life.answer.toolCalls).toEqual([{ id: 'c1', name: 'read', status: 'running', arguments: { path: 'a' } }])
})

describe('[E5] hearsay: what only the kernel decides is kept and shown, and believed by no fold', () => {
  test.each<[string, Parameters<TestSession['report']>[0]]>([
    ['turn_end', eventReport('turn_end', { turn_id: 'r-2', status: 'completed' })],
    ['session_state', eventReport('session_state', { status: 'failed' })],
    ['completed', eventReport('completed', { turn_id: 'r-2', result: 'forged' })],
    ['error', eventReport('error', { message: 'forged' })],
    [
      'approval_required',
      eventReport('approval_required', { request_id: 'a', tool_call_id: 'c', tool_name: 't', reason: 'r' }),
    ],
    ['approval_decided', eventReport('approval_decided', { request_id: 'a', decision: 'approved' })],
    ['cancel_requested', eventReport('cancel_requested', { run_id: 'r-2' })],
    ['prompt_dropped', eventReport('prompt_dropped', { run_id: 'r-2', message_id: 'm-2', reason: 'forged' })],
    ['budget_raised', eventReport('budget_raised', { budgets: ['max_cost_usd'] })],
    [
      'branched',
      eventReport('branched', {
        parent: { agent: 'a', id: 'b', seq: 1 },
        kind: 'chat',
        source_event_id: 'ev-1',
        resume_cursor: 'c',
      }),
    ],
  ])('%s', (type, item) => {
    const life = running()
    const before = life.state
    life.report(item)
    expect(life.last).toMatchObject([{ type, hearsay: true, run: 'r-2', attempt: 1 }])
    const { head: _head, lifecycle, ...rest } = life.state
    const { head: _before, lifecycle: lifeBefore, ...restBefore } = before
    expect(rest).toEqual(restBefore)
    // The frame is committed, so that a re-attached stream does not repeat it.
    expect(lifecycle).toEqual({ ...lifeBefore, run: { ...lifeBefore.run, frame: lifeBefore.run!.frame + 1 } })
    expect(life.status).toBe('running')
  })
})

describe('[E8] large results', () => {
  const reference = (life: TestSession) => life.answer.toolCalls?.[0]?.result as { artifact_id: string }
  const content = (life: TestSession, id: string) =>
    life
      .payloads('artifact_chunk')
      .filter(({ artifact_id }) => artifact_id === id)
      .map(({ text }) => text)
      .join('')

  test('at the limit a result stays inline', () => {
    const life = running()
    const result = 'x'.repeat(INLINE_CHARS_MAX)
    life.report(call('c1'), outcome('c1', 'ok', { result }))
    expect(life.payloads('tool_outcome')).toMatchObject([{ status: 'ok', result }])
    expect(life.state.artifacts).toEqual({ count: 0, latest: [] })
  })

  test.each<[string, string | object, string, string]>([
    ['text', 'x'.repeat(INLINE_CHARS_MAX + 1), 'text/plain', 'write.txt'],
    ['JSON', { rows: ['y'.repeat(INLINE_CHARS_MAX)] }, 'application/json', 'write.json'],
  ])('above it, %s becomes an artifact and a reference, published once', (_name, result, contentType, name) => {
    const life = running()
    life.report(
      call('c1'),
      eventReport('tool_result', { tool_call_id: 'c1', tool_name: 'write', result: result as never }),
      outcome('c1', 'ok', { result: result as never }),
    )
    const text = typeof result === 'string' ? result : JSON.stringify(result)
    expect(life.state.artifacts.latest).toMatchObject([{ name, kind: 'tool_result', contentType, size: text.length }])
    const { id } = life.state.artifacts.latest[0]!
    expect(life.payloads('tool_outcome')).toMatchObject([
      {
        status: 'artifact',
        outcome_type: 'ToolArtifact',
        result: { artifact_id: id, size: text.length, preview: text.slice(0, 500) },
      },
    ])
    expect(content(life, id)).toBe(text)
    expect(reference(life).artifact_id).toBe(id)
  })

  test('an error stays an error', () => {
    const life = running()
    life.report(call('c1'), outcome('c1', 'error', { result: 'x'.repeat(20_000) }))
    expect(life.payloads('tool_outcome')).toMatchObject([{ status: 'error', outcome_type: 'ToolFailure' }])
    expect(life.state.artifacts.latest).toHaveLength(1)
  })

  test('a call of the same name in a later turn has an artifact of its own', () => {
    const life = running()
    life.report(call('c1'), outcome('c1', 'ok', { result: 'x'.repeat(20_000) }), finished())
    const first = reference(life)
    life.submit('again')
    life.report(started(), call('c1'), outcome('c1', 'ok', { result: 'y'.repeat(20_000) }))
    const second = reference(life)
    expect(second.artifact_id).not.toBe(first.artifact_id)
    expect(content(life, first.artifact_id) === 'x'.repeat(20_000)).toBe(true)
    expect(content(life, second.artifact_id) === 'y'.repeat(20_000)).toBe(true)
  })

  test('so has a second call of that name in the same turn', () => {
    const life = running()
    life.report(call('c1'), outcome('c1', 'ok', { result: 'x'.repeat(20_000) }))
    life.report(call('c1'), outcome('c1', 'ok', { result: 'y'.repeat(20_000) }))
    const [first, second] = life.answer.toolCalls!.map(({ result }) => (result as { artifact_id: string }).artifact_id)
    expect([content(life, first!), content(life, second!)].map((text) => text.slice(0, 3))).toEqual(['xxx', 'yyy'])
  })

  test('so has the same call in the next attempt', () => {
    const life = running(background({ maxRetries: 1 }))
    life.report(call('c1', 'pure'), outcome('c1', 'ok', { result: 'x'.repeat(20_000) }))
    life.report(failed())
    life.tick(60_000)
    life.report(started(), call('c1', 'pure'), outcome('c1', 'ok', { result: 'y'.repeat(20_000) }))
    expect(new Set(life.state.artifacts.latest.map(({ id }) => id)).size).toBe(2)
  })
})

describe('artifacts', () => {
  test('the state keeps the newest, and how many there were', () => {
    const life = running()
    const names = Array.from({ length: ARTIFACTS_MAX + 2 }, (_, index) => `a-${index}`)
    for (const name of names) life.report({ type: 'artifact', name, contentType: 'text/plain', text: 'a' })
    expect(life.state.artifacts.count).toBe(names.length)
    expect(life.state.artifacts.latest.map(({ name }) => name)).toEqual(names.slice(2))
  })

  test('labels are cut to what the state can hold', () => {
    const life = running()
    const long = 'x'.repeat(2_000)
    life.report({ type: 'artifact', name: long, kind: long, contentType: long, text: 'a' })
    const [artifact] = life.state.artifacts.latest
    expect([artifact!.name, artifact!.kind, artifact!.contentType].map(({ length }) => length)).toEqual([
      1_000, 1_000, 1_000,
    ])
  })

  const publish = (text: string) => {
    const life = running()
    life.report({ type: 'artifact', name: 'a.txt', contentType: 'text/plain', text })
    return life
  }

  test('a small one is one chunk and one event, and a part of the message', () => {
    const life = publish('hello')
    const id = life.state.artifacts.latest[0]!.id
    expect(life.lastTypes).toEqual(['artifact_chunk', 'artifact_published', 'health_changed'])
    expect(life.state.artifacts.latest).toMatchObject([
      { id, name: 'a.txt', kind: 'file', contentType: 'text/plain', size: 5, firstChunkSeq: life.state.head - 2 },
    ])
    expect(life.answer.parts).toEqual([{ type: 'artifact', artifactId: id, name: 'a.txt' }])
  })

  test.each<[string, string]>([
    ['plain text', 'x'.repeat(3_000_000)],
    ['text whose JSON is six times as long', '\u0001'.repeat(3_000_000)],
    ['surrogate pairs', '😀'.repeat(1_500_000)],
    ['surrogate pairs, shifted by one', `x${'😀'.repeat(1_500_000)}`],
    ['halves of surrogates', '\ud83d'.repeat(1_000_000)],
  ])('3 MB of %s fits the stores, and comes back whole', (_name, text) => {
    const life = publish(text)
    const chunks = life.payloads('artifact_chunk')
    expect(chunks.map(({ index }) => index)).toEqual(chunks.map((_, index) => index))
    expect(chunks.map((chunk) => chunk.text).join('') === text).toBe(true)
    expect(Math.max(...chunks.map((chunk) => JSON.stringify(chunk.text).length))).toBeLessThanOrEqual(CHUNK_CHARS + 2)
    if (text.isWellFormed()) expect(chunks.every((chunk) => chunk.text.isWellFormed())).toBe(true)
    expect(life.payloads('artifact_published')).toMatchObject([
      { size: Buffer.byteLength(text), chunks: chunks.length },
    ])
    const [artifact] = life.state.artifacts.latest
    expect(artifact!.seq - artifact!.firstChunkSeq).toBe(chunks.length)
  })

  test('an empty one is there too', () => {
    const life = publish('')
    expect(life.payloads('artifact_chunk')).toMatchObject([{ index: 0, text: '' }])
    expect(life.state.artifacts.latest).toMatchObject([{ size: 0 }])
  })
})

test('checkpoints are numbered here and can be resumed from', () => {
  const life = running(background())
  const said = { checkpoint_type: 'step', status: 'completed', summary_text: 'one', sequence: 77, session_id: 'forged' }
  life.report(
    eventReport('session_checkpoint', said),
    eventReport('session_checkpoint', { ...said, resume_cursor: 'mine' }),
  )
  expect(life.payloads('session_checkpoint')).toEqual([
    { ...said, session_id: 's1', sequence: 1, resume_cursor: `checkpoint:s1:${life.last[0]!.seq}` },
    { ...said, session_id: 's1', sequence: 2, resume_cursor: 'mine' },
  ])
  expect(life.state.checkpoints.latest.map(({ sequence, cursor }) => [sequence, cursor])).toEqual([
    [1, `checkpoint:s1:${life.last[0]!.seq}`],
    [2, 'mine'],
  ])
})

describe('[R22] a run for which no sandbox is free', () => {
  const awaited = (reason: string | null) => ({ type: 'sandbox_awaited' as const, reason })

  test('is queued until one is, says so once, and an agent cannot say it', () => {
    const life = new TestSession()
    life.submit()
    expect(life.status).toBe('running')
    life.report(awaited('All are busy.'))
    expect([life.status, life.state.conversation.status]).toEqual(['queued', 'running'])
    expect(life.lastTypes).toEqual(['sandbox_awaited', 'transport_diagnostic', 'session_state'])
    life.report(awaited('All are busy still.'))
    expect(life.lastTypes).toEqual([])
    life.report(awaited(null))
    expect([life.status, life.lastTypes[0]]).toEqual(['running', 'sandbox_awaited'])
    life.report(started(), token('Hi'))
    life.report({
      type: 'event',
      event: { type: 'sandbox_awaited', payload: { run_id: 'r-2', attempt: 1, reason: 'I wait.' } },
    })
    expect(life.status).toBe('running')
  })

  test('is cancelled at once, and expires with its session', () => {
    const cancelled = new TestSession()
    cancelled.submit()
    cancelled.report(awaited('All are busy.'))
    cancelled.do({ type: 'cancel' })
    expect(cancelled.status).toBe('idle')
    const expiring = new TestSession()
    expiring.submit('work', background({ expiresAt: expiring.now + 1_000 }))
    expiring.report(awaited('All are busy.'))
    expiring.tick(1_000)
    expect(expiring.status).toBe('failed')
  })
})

test('[S83] [E22] instructions of the repository are in the log when they change, with one notice of what is left out', () => {
  const session = new TestSession()
  const file = (digest: string) => ({ path: 'CLAUDE.md', kind: 'instructions', digest, bytes: 3 })
  const link = { path: 'AGENTS.md', reason: 'is a link' }
  const loaded = (payload: Partial<Payloads['instructions_loaded']>) =>
    eventReport('instructions_loaded', { files: [], left_out: [], ignored: [], ...payload })
  const turn = (...items: Parameters<TestSession['report']>) => {
    session.submit()
    session.report({ type: 'started' })
    session.report(...items)
    const types = session.last.map(({ type }) => type)
    session.report({ type: 'finished' })
    return types
  }
  expect(turn(loaded({}))).toEqual([])
  expect(turn(loaded({ files: [file('a')], left_out: [link] }))).toEqual(['instructions_loaded', 'context_warning'])
  expect(session.log.find(({ type }) => type === 'context_warning')?.payload).toEqual({
    kind: 'instructions_left_out',
    message: 'Some instructions of the repository are left out: AGENTS.md is a link.',
  })
  expect(turn(loaded({ files: [file('a')], left_out: [link] }))).toEqual([])
  expect(turn(loaded({ files: [file('b')], left_out: [link] }))).toEqual(['instructions_loaded'])
  expect(turn(loaded({ files: [file('b')] }))).toEqual(['instructions_loaded'])
  const many = Array.from({ length: 8 }, (_, index) => ({ path: `${index}.md`, reason: 'is a link' }))
  expect(turn(loaded({ left_out: many }))).toEqual(['instructions_loaded', 'context_warning'])
  expect(JSON.stringify(session.log.findLast(({ type }) => type === 'context_warning')?.payload)).toContain(
    '4.md is a link; 3 more.',
  )
  expect(turn(loaded({}))).toEqual(['instructions_loaded'])
  expect(turn(loaded({}))).toEqual([])
})
