// The events at the start of every turn, and the artifacts of background work.

import { describe, expect, test } from 'vitest'
import type { SessionOptions } from '../../commands.ts'
import { background, eventReport, failed, finished, key, running, started, TestSession, token } from '../rules.suite.ts'
import { RESULT_CHARS_MAX } from './runs.ts'

describe('[F8] how a turn runs is told at its start', () => {
  test('by a runner in the server itself', () => {
    const life = running()
    expect(life.lastTypes).toEqual(['run_started', 'policy_decision', 'sandbox_notice'])
    expect(life.payloads('policy_decision')).toEqual([
      {
        subject: 'turn_runtime',
        outcome: 'configured',
        reason: 'Resolved runtime execution mode for this chat turn.',
        source: 'serve_chat_runtime',
        policy_path: 'execution_mode -> approval_policy -> runtime_callbacks',
        permission_mode: 'normal',
        approval_mode: 'on_request',
      },
    ])
    expect(life.payloads('sandbox_notice')).toEqual([
      {
        requested_backend: 'chat_turn',
        resolved_backend: 'in_process',
        isolation: 'none',
        reason: "The agent runs in the server's own process.",
      },
    ])
  })

  test('by one that writes in a sandbox: the workspace that was prepared, and then what stands around it', () => {
    const life = new TestSession()
    life.submit('go', background({ settings: { workspace_id: 'ws-1', task_graph_id: 'tg-s1' } }))
    const notice = { requested_backend: 'auto', resolved_backend: 'bubblewrap', isolation: 'namespaces' }
    life.report({ type: 'started', handle: { sandbox: 'box-1' }, sandbox: notice })
    expect(life.payloads('sandbox_notice')).toEqual([
      {
        requested_backend: 'background_session',
        resolved_backend: 'task_workspace',
        isolation: 'workspace',
        reason: 'Prepared a task workspace for write-capable background work.',
      },
      notice,
    ])
    expect(life.state.lifecycle.sandbox).toEqual({ mode: 'bubblewrap', isolation: 'namespaces' })
  })

  test('where it runs and on what is on the status card as soon as it is known', () => {
    const life = new TestSession()
    life.submit('go', background())
    life.report({ type: 'started', handle: { sandbox: 'box-1' }, provider: 'anthropic' })
    expect(life.payloads('session_state').at(-1)).toMatchObject({
      process_id: 'box-1',
      provider: 'anthropic',
      model: null,
    })
    life.report(eventReport('usage', { total_tokens: 1, model: 'opus' }))
    expect(life.payloads('session_state').at(-1)).toMatchObject({ process_id: 'box-1', model: 'opus' })
    life.report(eventReport('usage', { total_tokens: 1, model: 'haiku' }))
    expect(life.lastTypes).not.toContain('session_state')
    life.report(finished())
    expect(life.payloads('session_state').at(-1)).toMatchObject({
      process_id: null,
      provider: 'anthropic',
      model: 'opus',
    })
  })

  test('by one in a sandbox, with the modes the session was opened with', () => {
    const life = new TestSession()
    life.submit('go', background({ settings: { permission_mode: 'plan', approval_mode: 'never' } }))
    const notice = { requested_backend: 'auto', resolved_backend: 'bubblewrap', isolation: 'namespaces' }
    life.report({ type: 'started', handle: { sandbox: 'box-1' }, sandbox: notice })
    expect(life.payloads('policy_decision')).toMatchObject([
      { source: 'background_runtime', permission_mode: 'plan', approval_mode: 'never' },
    ])
    expect(life.payloads('sandbox_notice')).toEqual([notice])
    life.do({ type: 'pause' })
    expect(life.payloads('session_state').at(-1)).toMatchObject({
      status: 'paused',
      permission_mode: 'plan',
      sandbox_mode: 'bubblewrap',
      sandbox_isolation: 'namespaces',
      process_id: 'box-1',
    })
  })

  test('for work that has a workspace of its own', () => {
    const life = new TestSession()
    life.submit('go', background({ settings: { workspace_id: 'ws-1' } }))
    life.report(started())
    expect(life.payloads('sandbox_notice')).toMatchObject([
      { requested_backend: 'background_session', resolved_backend: 'task_workspace', isolation: 'workspace' },
    ])
  })
})

describe('[F16] what background work leaves behind', () => {
  const kinds = (life: TestSession) => life.state.artifacts.latest.map(({ kind }) => kind)

  test('completed: a record of the run and its output', () => {
    const life = running(background())
    life.report(token('done'), finished())
    expect(kinds(life)).toEqual(['run_record', 'final_output'])
    const [record, output] = life.payloads('artifact_chunk').map(({ text }) => text)
    expect(JSON.parse(record ?? '')).toMatchObject({
      run_id: 'r-2',
      session_id: key.id,
      status: 'completed',
      attempt_count: 1,
      first_event_id: 'ev-2',
    })
    expect(output).toBe('done')
    expect(life.answer.parts?.map(({ type }) => type)).toEqual(['text'])
  })

  test('failed: the record alone', () => {
    const life = running(background())
    life.report(failed(false))
    expect(kinds(life)).toEqual(['run_record'])
    expect(life.status).toBe('failed')
  })

  test('an output too large for its event is there once', () => {
    const life = running(background())
    life.report(finished({ result: 'x'.repeat(RESULT_CHARS_MAX + 1) }))
    expect(kinds(life)).toEqual(['run_record', 'final_output'])
    expect(life.payloads('completed')[0]?.result).toMatchObject({ size: RESULT_CHARS_MAX + 1 })
  })

  test('a chat leaves neither', () => {
    const life = running()
    life.report(token('done'), finished())
    expect(kinds(life)).toEqual([])
  })
})

test('[F7] starting a session adds to no other', () => {
  const life = new TestSession()
  expect(life.do({ type: 'submit', prompt: 'a', fresh: true })).toMatchObject({ runId: 'r-2' })
  expect(life.do({ type: 'submit', prompt: 'b', fresh: true })).toMatchObject({ refused: 'session_exists' })
})

test('[F17] what was prepared for a session is in its first append', () => {
  const life = new TestSession()
  const graph = { name: 'graph.json', kind: 'task_graph', contentType: 'application/json', text: '{}' }
  life.submit('go', background({ artifacts: [graph] }))
  expect(life.lastTypes.slice(0, 4)).toEqual([
    'session_created',
    'artifact_chunk',
    'artifact_published',
    'prompt_queued',
  ])
})

test('[F12] a compaction is a place to come back to', () => {
  const life = running()
  life.report(eventReport('context_compacted', { summary: 'short' }))
  const { seq } = life.last[0]!
  expect(life.payloads('context_compacted')[0]?.resume_cursor).toBe(`compact:${key.id}:${seq}`)
  life.report(eventReport('context_compacted', { resume_cursor: 'compact:serve_demo:14' }))
  expect(life.payloads('context_compacted')[1]?.resume_cursor).toBe('compact:serve_demo:14')
})

describe('[F39] the nodes of the task graph follow the run', () => {
  const graphs = (life: TestSession) =>
    life.log.flatMap((event) => {
      if (event.type !== 'artifact_chunk' || !event.payload.text.includes('task_graph_id')) return []
      const { nodes, goal } = JSON.parse(event.payload.text) as { goal: string; nodes: { status: string }[] }
      return [[goal, ...nodes.map(({ status }) => status)]]
    })
  const writes = (more: SessionOptions = {}) => {
    const life = new TestSession()
    life.submit('go', background({ settings: { workspace_id: 'ws-1', task_graph_id: 'tg-s1' }, ...more }))
    return life
  }
  const begun = ['go', 'completed', 'running', 'pending']

  test.each([
    ['completed', [token('x'), finished()]],
    ['failed', [failed(false)]],
  ] as const)('to its end: %s', (status, items) => {
    const life = writes()
    expect(graphs(life)).toEqual([])
    life.report(started())
    expect(graphs(life)).toEqual([begun])
    life.report(...items)
    expect(graphs(life)).toEqual([begun, ['go', 'completed', status, status]])
  })

  test('cancelled, running or not yet begun; and expired', () => {
    const life = writes()
    life.report(started())
    life.do({ type: 'cancel' })
    life.report({ type: 'stopped' })
    expect(graphs(life).at(-1)).toEqual(['go', 'completed', 'cancelled', 'cancelled'])
    const queued = new TestSession()
    queued.do({ type: 'create', opening: background({ settings: { workspace_id: 'ws-1', task_graph_id: 'tg-s1' } }) })
    queued.do({ type: 'pause' })
    queued.submit('later')
    queued.do({ type: 'cancel' })
    expect(graphs(queued)).toEqual([['later', 'completed', 'cancelled', 'cancelled']])
  })

  test('work without a workspace has none', () => {
    const life = running(background())
    life.report(finished())
    expect(graphs(life)).toEqual([])
  })
})
