// The frontend contract's acceptance criteria, in its own order, with the scripted agent in chat and in background.

import { HANDLED_EVENT_TYPES, reduceFrontend } from '@bridle/client/frontend/reducer'
import { emptyFrontendState } from '@bridle/client/frontend/state'
import { claudeInfo } from '@bridle/runners/engines/claude/description'
import { codexInfo } from '@bridle/runners/engines/codex/description'
import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import {
  type EnvelopeFrame,
  envelopeTypes,
  hasType,
  isStatus,
  readEnvelopes,
  scriptPrompt,
  startedSession,
  waitForDetail,
} from './frontend.suite.ts'

type TestApp = ReturnType<typeof testApp>
const say = (type: string, payload: object) => ({ event: { type, payload } })

/** The steps as a chat turn and as a background session; both as the envelopes of their streams. */
const both = describe.each<
  [string, (it: TestApp, steps: unknown[]) => Promise<{ id: string; frames: EnvelopeFrame[] }>]
>([
  [
    'chat',
    async (it, steps) => {
      const id = String((await it.post('/chat/sessions', { engine: 'scripted' })).body.session_id)
      await it.post(`/chat/sessions/${id}/turns`, { prompt: scriptPrompt(...steps) })
      return { id, frames: await readEnvelopes(it, `/chat/sessions/${id}/events/stream`, hasType('turn_end')) }
    },
  ],
  [
    'background',
    async (it, steps) => {
      const id = await startedSession(it, { prompt: scriptPrompt(...steps) }, isStatus('completed', 'failed'))
      return { id, frames: await readEnvelopes(it, `/sessions/${id}/events/stream`, hasType('turn_end')) }
    },
  ],
])
const reduced = (frames: readonly EnvelopeFrame[]) =>
  frames.map(({ data }) => data).reduce((state, each) => reduceFrontend(state, each as never), emptyFrontendState)

test('/stream-events matches the frontend handled-event set', async () => {
  const { body } = await testApp().get('/stream-events')
  expect(new Set(body.types as string[])).toEqual(new Set(HANDLED_EVENT_TYPES))
})

both('in %s', (kind, play) => {
  test('duplicate tool names resolve correctly by tool_call_id', async () => {
    const call = (id: string, outcome: string, n: number) => ({ tool: 'local_search', id, args: { n }, outcome })
    const { frames } = await play(testApp(), [call('call-1', 'ok', 1), call('call-2', 'error', 2)])
    const tools = reduced(frames).turns[0]?.tools.map(({ toolCallId, status, arguments: args }) => [
      toolCallId,
      status,
      args,
    ])
    expect(tools).toEqual([
      ['call-1', 'ok', { n: 1, _tool_call_id: 'call-1' }],
      ['call-2', 'error', { n: 2, _tool_call_id: 'call-2' }],
    ])
  })

  test('turns emit tool_outcome for success, timeout, denial, artifact, and failure paths', async () => {
    const { frames } = await play(testApp(), [
      { tool: 'a', id: 'ok', result: {} },
      { tool: 'a', id: 'timeout', outcome: 'timeout' },
      { approve: 'a', id: 'denied', expiresMs: 1 },
      { tool: 'a', id: 'artifact', result: 'x'.repeat(12_001) },
      { tool: 'a', id: 'error', outcome: 'error' },
    ])
    const outcomes = frames
      .filter(({ data }) => data.type === 'tool_outcome')
      .map(({ data: { payload } }) => [payload.tool_call_id, payload.status, payload.outcome_type])
    expect(outcomes).toEqual([
      ['ok', 'ok', 'ToolExecutionResult'],
      ['timeout', 'timeout', 'ToolTimeout'],
      ['denied', 'denied', 'ToolDenied'],
      ['artifact', 'artifact', 'ToolArtifact'],
      ['error', 'error', 'ToolFailure'],
    ])
  })

  test('context warnings and compactions are both persisted and visible in the timeline', async () => {
    const it = testApp()
    const warning = say('context_warning', { message: 'nearly full', usage_pct: 85 })
    const { id, frames } = await play(it, [warning, say('context_compacted', { tokens_saved: 4200 })])
    expect(reduced(frames).timeline.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['context_warning', 'context_compacted']),
    )
    const again = await readEnvelopes(it, `/sessions/${id}/events/stream`, hasType('turn_end'))
    expect(again.slice(1).map(({ raw }) => raw)).toEqual(frames.slice(1).map(({ raw }) => raw))
  })

  test('policy, hook, sandbox, transport, and subagent diagnostics are persisted and reducer-handled', async () => {
    const { frames } = await play(testApp(), [
      say('hook_event', { hook: 'pre_tool', phase: 'before' }),
      say('transport_diagnostic', { status: 'degraded', kind: 'provider_fallback', failure_count: 1 }),
      say('subagent_event', { agent_id: 'subagent_1', status: 'completed' }),
    ])
    expect(new Set(reduced(frames).diagnostics.map(({ type }) => type))).toEqual(
      new Set([
        'turn_start',
        'policy_decision',
        'sandbox_notice',
        'hook_event',
        'transport_diagnostic',
        'subagent_event',
      ]),
    )
    const policy = frames.find(({ data }) => data.type === 'policy_decision')?.data.payload
    expect(policy).toMatchObject({ subject: 'turn_runtime', outcome: 'configured', approval_mode: 'on_request' })
  })

  test('session detail exposes resume points and persisted delegated-work state', async () => {
    const it = testApp()
    const { id } = await play(it, [{ checkpoint: 'one' }, say('subagent_event', { agent_id: 'a', status: 'running' })])
    const { body } = await it.get(`/chat/sessions/${id}`)
    expect((body.resume_points as { kind: string }[]).map((each) => each.kind)).toEqual(
      kind === 'chat' ? ['checkpoint', 'turn'] : ['checkpoint', 'checkpoint', 'turn'],
    )
    expect(body.subagents).toMatchObject([{ agent_id: 'a', status: 'running', parent_session_id: id }])
  })

  test('sessions can branch from an event id or resume cursor', async () => {
    const it = testApp()
    const { id } = await play(it, [{ checkpoint: 'one' }, { text: 'done' }])
    const [point] = (await it.get(`/chat/sessions/${id}`)).body.resume_points as {
      event_id: string
      resume_cursor: string
    }[]
    const path = kind === 'chat' ? `/chat/sessions/${id}/branch` : `/sessions/${id}/resume`
    for (const place of [{ from_event_id: point?.event_id }, { resume_cursor: point?.resume_cursor }]) {
      const { status, body } = await it.post(path, place)
      expect([status, body.parent_session_id, body.branch_source_event_id]).toEqual([201, id, point?.event_id])
      const child = await waitForDetail(it, String(body.session_id), isStatus('idle', 'completed'))
      expect((child.checkpoints as { checkpoint_type: string }[]).map((each) => each.checkpoint_type)).toContain(
        'resume_seed',
      )
    }
  })
})

test('background runs emit session_state, session_checkpoint, and step_progress', async () => {
  const it = testApp()
  const prompt = scriptPrompt(say('step_progress', { step_id: 'step-1', status: 'completed' }), {
    checkpoint: 'step-1 completed',
  })
  const id = await startedSession(it, { prompt }, isStatus('completed'))
  const frames = await readEnvelopes(it, `/sessions/${id}/events/stream?tier=default`, hasType('session_state', 2))
  expect(envelopeTypes(frames)).toEqual(
    expect.arrayContaining(['session_state', 'session_checkpoint', 'step_progress']),
  )
  expect(frames.find(({ data }) => data.type === 'session_checkpoint')?.data.payload).toMatchObject({
    session_id: id,
    sequence: 1,
    checkpoint_type: 'step',
    status: 'completed',
    summary_text: 'step-1 completed',
    resume_cursor: expect.stringMatching(`^checkpoint:${id}:\\d+$`),
  })
})

test.each([claudeInfo('1'), codexInfo('1')])(
  '[F28] bridge sessions document reduced fidelity instead of pretending full parity ($name)',
  (engine) => {
    const said = (type: string) => (engine.events as { [type: string]: string })[type]
    const reliable = ['session_state', 'session_checkpoint', 'policy_decision', 'sandbox_notice']
    const ends = ['approval_required', 'approval_applied', 'completed', 'error']
    for (const type of [...reliable, ...ends])
      expect([type, said(type)]).toEqual([type, expect.stringMatching(/native|derived/)])
    expect(said('step_progress')).toBe('none')
  },
)
