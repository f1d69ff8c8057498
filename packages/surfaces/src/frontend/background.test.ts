import { BUDGETS, type BudgetName, budgetLimits } from '@bridle/events/schemas'
import { type AgentInfo, acceptPrompt } from '@bridle/kernel/agent-info'
import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { hasType, isStatus, readEnvelopes, scriptPrompt, startedSession, waitForDetail } from './frontend.suite.ts'

const wait = scriptPrompt({ text: 'a' }, { sleepMs: 60_000 })
const isRunning = isStatus('running')

describe('[F7] starting', () => {
  test('answers with the session and its health; it runs by itself', async () => {
    const it = testApp()
    const { status, body, headers } = await it.post('/sessions', {
      engine: 'scripted',
      prompt: scriptPrompt({ text: 'done' }),
      title: 'Job',
      max_retries: 2,
      expires_at: '2030-01-01T00:00:00Z',
      policy: { health: { max_cost_usd: 1 } },
      think_level: 'high',
    })
    expect(status).toBe(202)
    expect(headers.get('location')).toBe(`/sessions/${body.session_id}`)
    expect(body).toMatchObject({
      session_id: expect.stringMatching(/^bg-/),
      kind: 'background',
      title: 'Job',
      engine: 'scripted',
      runner_kind: 'in_process',
      think_level: 'high',
      attempt_count: 1,
      max_retries: 2,
      expires_at: '2030-01-01T00:00:00.000Z',
      health: { score: 100, policy: { health: { max_cost_usd: 1 }, enforcement: { status: 'armed' } } },
    })
    const ended = await waitForDetail(it, String(body.session_id), isStatus('completed'))
    expect(ended).toMatchObject({
      ended_at: expect.any(String),
      last_heartbeat_at: expect.any(String),
      sandbox_mode: 'in_process',
      resume_context: { kind: 'turn' },
      artifacts: [{ artifact_type: 'final_output' }, { artifact_type: 'run_record' }],
      checkpoints: [{ checkpoint_type: 'turn', status: 'completed', summary_text: 'done' }],
      channel: { channel_id: `session:${body.session_id}` },
    })
    const { sessions } = (await it.get('/sessions?kind=background')).body as { sessions: object[] }
    expect(sessions).toMatchObject([
      { session_id: body.session_id, status: 'completed', engine: 'scripted', health: { score: 100, flags: [] } },
    ])
  })

  test('engine "native" is the agent that the operator named, or the only one; of several none is picked by its name', async () => {
    const agent = (name: string): [string, AgentInfo] => [
      name,
      {
        name,
        description: name,
        engine: ['scripted', 'claude'].includes(name) ? name : 'native',
        runnerKind: name === 'claude' ? 'bridge' : 'in_process',
        webhook: false,
        needs: null,
        accept: acceptPrompt,
      },
    ]
    const asked = (names: readonly string[], defaultAgent = 'scripted') =>
      testApp({ agents: new Map(['scripted', 'claude', ...names].map(agent)), defaultAgent }).post('/sessions', {
        engine: 'native',
        prompt: scriptPrompt({ text: 'x' }),
      })
    expect(await asked(['mine'])).toMatchObject({ status: 202, body: { agent: 'mine' } })
    expect(await asked(['zeta', 'alpha'], 'zeta')).toMatchObject({ status: 202, body: { agent: 'zeta' } })
    const several = await asked(['zeta', 'alpha', 'mine'])
    expect(several.status).toBe(400)
    expect(several.body.error).toContain('alpha, mine, zeta')
    expect((await asked([])).status).toBe(400)
  })

  test('the name of an agent is no engine, and the answer does not tell that an agent has it', async () => {
    const it = testApp()
    const answers = await Promise.all(
      ['hooked', 'keyless', 'nobody'].map(async (engine) => {
        const { status, body } = await it.post('/sessions', { engine, prompt: 'x' })
        return [status, String(body.error).replace(engine, '?')]
      }),
    )
    const refused = [
      400,
      'body: engine: There is no engine "?". Name one of: scripted, native; the name of an agent belongs in "agent"',
    ]
    expect(answers).toEqual([refused, refused, refused])
  })

  test.each([
    ['2030-01-01T00:00:00', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T00:00', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T00:00:00.5+02:00', '2029-12-31T22:00:00.500Z'],
    ['2030-01-01T00:00:00-0130', '2030-01-01T01:30:00.000Z'],
  ])('expires_at %s is %s', async (given, expected) => {
    const { body } = await testApp().post('/sessions', { engine: 'scripted', prompt: 'x', expires_at: given })
    expect(body).toMatchObject({ expires_at: expected })
  })

  test('one key is one session, and starting adds to no other', async () => {
    const it = testApp()
    const ask = (prompt: string) => it.post('/sessions', { engine: 'scripted', prompt }, { 'idempotency-key': 'k' })
    const [first, again] = [await ask(wait), await ask(wait)]
    expect([first.status, again.status]).toEqual([202, 202])
    expect(again.body.session_id).toBe(first.body.session_id)
    expect((await ask('other')).status).toBe(409)
    const { session_id } = first.body
    expect((await it.post('/sessions', { engine: 'scripted', prompt: 'x', session_id })).status).toBe(409)
    expect((await it.get(`/sessions/${session_id}`)).body.messages).toHaveLength(2)
  })

  test('[S21] one that has expired already fails with an expired checkpoint, and never runs', async () => {
    const it = testApp()
    const id = await startedSession(it, { prompt: wait, expires_at: '2020-01-01T00:00:00Z' }, isStatus('failed'))
    const { body } = await it.get(`/sessions/${id}`)
    expect(body).toMatchObject({ attempt_count: 0, checkpoints: [{ checkpoint_type: 'expired', status: 'failed' }] })
  })
})

describe('[F18] pausing, resuming, cancelling', () => {
  test('pause keeps row, checkpoints and artifacts; resume goes on with the same session', async () => {
    const it = testApp()
    const prompt = scriptPrompt(
      { checkpoint: 'one' },
      { artifact: { name: 'a.txt', content: 'A' } },
      { sleepMs: 60_000 },
    )
    const id = await startedSession(it, { prompt }, ({ artifacts }) => (artifacts as unknown[]).length === 1)
    const paused = await it.post(`/sessions/${id}/pause`, { reason: 'lunch', actor: 'ann' })
    expect(paused).toMatchObject({
      status: 200,
      body: {
        paused: true,
        status: 'paused',
        health: { recovery_hint: { action: 'resume' }, audit: [{ action: 'paused', actor: 'ann', summary: 'lunch' }] },
      },
    })
    expect((await it.get(`/sessions/${id}`)).body).toMatchObject({
      status: 'paused',
      checkpoints: [{ summary_text: 'one' }],
      artifacts: [{ name: 'a.txt' }],
    })
    const resumed = await it.post(`/sessions/${id}/resume`)
    expect(resumed).toMatchObject({ status: 200, body: { session_id: id, health: { score: 100 } } })
    const frames = await readEnvelopes(it, `/sessions/${id}/events/stream`, hasType('policy_decision', 2))
    // [S38] The run continues where it stopped: neither its row nor the stream shows another attempt.
    const attempts = frames.flatMap(({ data }) => (data.turn_id === undefined ? [] : [data.attempt]))
    expect(new Set(attempts)).toEqual(new Set([1]))
    expect((await it.get(`/sessions/${id}`)).body).toMatchObject({ status: 'running', attempt_count: 1 })
    const cancelled = await it.post(`/sessions/${id}/cancel`)
    expect(cancelled).toMatchObject({ status: 200, body: { cancelled: true, health: { score: 100 } } })
    await waitForDetail(it, id, ({ ended_at }) => ended_at !== undefined)
  })

  test('[F11] resume from an event or a cursor is a new session, which goes on with what was asked', async () => {
    const it = testApp()
    const id = await startedSession(
      it,
      { prompt: scriptPrompt({ checkpoint: 'one' }, { text: 'done' }) },
      isStatus('completed'),
    )
    const { checkpoints } = (await it.get(`/sessions/${id}`)).body as { checkpoints: { resume_cursor: string }[] }
    const { status, body } = await it.post(`/sessions/${id}/resume`, { resume_cursor: checkpoints[1]?.resume_cursor })
    expect(status).toBe(201)
    expect(body).toMatchObject({ kind: 'background', parent_session_id: id, health: { score: 100 } })
    const child = await waitForDetail(it, String(body.session_id), isStatus('completed'))
    expect(child).toMatchObject({
      parent_session_id: id,
      branch_resume_cursor: checkpoints[1]?.resume_cursor,
      checkpoints: [
        { checkpoint_type: 'turn' },
        { summary_text: 'one' },
        { checkpoint_type: 'resume_seed' },
        { summary_text: 'one' },
      ],
    })
    const other = await it.post(`/sessions/${id}/resume`, { from_event_id: 2, prompt: scriptPrompt({ text: 'else' }) })
    const ended = await waitForDetail(it, String(other.body.session_id), isStatus('completed'))
    expect((ended.messages as { content: string }[]).at(-1)?.content).toBe('else')
    expect((await it.get(`/sessions?parent=${id}`)).body.sessions).toHaveLength(2)
  })

  test('[F10] one key is one command, whatever it asks', async () => {
    const it = testApp()
    const id = await startedSession(it, { prompt: wait }, isStatus('running'))
    const ask = async (verb: string, body = {}, key = verb) =>
      (await it.post(`/sessions/${id}/${verb}`, body, { 'idempotency-key': key })).status
    for (const verb of ['pause', 'resume', 'policy', 'cancel']) {
      const body = verb === 'policy' ? { policy: {} } : {}
      expect([verb, await ask(verb, body), await ask(verb, body)]).toEqual([verb, 200, 200])
    }
    expect(await ask('resume', {}, 'pause')).toBe(409)
    expect(await ask('cancel', {}, 'no id')).toBe(400)
    const { audit } = (await it.get(`/sessions/${id}/health`)).body as { audit: { action: string }[] }
    const once = ['paused', 'resumed', 'policy_set', 'cancelled']
    expect(audit.map(({ action }) => action).filter((action) => once.includes(action))).toEqual(once)
  })

  test('an approval wait stays, with its durable request id', async () => {
    const it = testApp()
    const prompt = scriptPrompt({ approve: 'write' }, { text: 'after' })
    const id = await startedSession(it, { prompt }, isStatus('awaiting_approval'))
    const { body } = await it.get(`/sessions/${id}`)
    expect(body).toMatchObject({
      approval_request_id: expect.stringMatching(/^apr-/),
      health: { flags: ['waiting'], recovery_hint: { approval_request_id: body.approval_request_id } },
    })
    await it.post(`/sessions/${id}/approvals/${body.approval_request_id}/approve`)
    await waitForDetail(it, id, isStatus('completed'))
  })
})

test('[F22] memory: what was looked up, and what an agent would remember', async () => {
  const it = testApp()
  const prompt = scriptPrompt(
    { event: { type: 'retrieval', payload: { query: 'roads', citations: ['a', 'b'] } } },
    { artifact: { name: 'lesson', content: 'Ask first.', kind: 'memory_proposal' } },
  )
  const id = await startedSession(it, { prompt }, isStatus('completed'))
  expect((await it.get(`/sessions/${id}`)).body).toMatchObject({
    artifacts: [{ artifact_type: 'run_record' }, { artifact_type: 'memory_proposal', name: 'lesson' }],
    health: {
      memory_provenance: {
        retrievals: 1,
        citations: 2,
        proposals: 1,
        latest: [
          { kind: 'retrieval', summary: 'roads' },
          { kind: 'proposal', summary: 'lesson' },
        ],
      },
    },
  })
})

describe('[F24] the health stream', () => {
  const steps = [
    { event: { type: 'retrieval', payload: { query: 'a', citations: [1] } } },
    { text: 'quiet' },
    { tool: 'x', outcome: 'error' },
    { event: { type: 'transport_diagnostic', payload: { status: 'degraded', kind: 'provider_fallback' } } },
  ]

  test('starts with the current one, then tells each that differs; resumes by cursor, byte for byte', async () => {
    const it = testApp()
    const id = await startedSession(
      it,
      { prompt: scriptPrompt({ approve: 'go' }, ...steps) },
      isStatus('awaiting_approval'),
    )
    const path = `/sessions/${id}/health/stream`
    const live = readEnvelopes(it, path, hasType('health_snapshot', 5))
    const { approval_request_id } = (await it.get(`/sessions/${id}`)).body
    await new Promise((resolve) => setTimeout(resolve, 5))
    await it.post(`/sessions/${id}/approvals/${approval_request_id}/approve`)
    const frames = await live
    expect(frames.map(({ data }) => [data.payload.score, data.payload.flags])).toEqual([
      [100, ['waiting']],
      [100, []],
      [100, []],
      [95, []],
      [80, ['degraded']],
    ])
    expect(new Set(frames.map(({ data }) => JSON.stringify(data.payload))).size).toBe(frames.length)
    await waitForDetail(it, id, isStatus('completed'))
    const rest = await readEnvelopes(it, path, hasType('health_snapshot', 3), {
      headers: { 'last-event-id': frames[1]!.id! },
    })
    expect(rest.map(({ raw }) => raw)).toEqual(frames.slice(2).map(({ raw }) => raw))
    const byCursor = await readEnvelopes(
      it,
      `${path}?resume_cursor=health:${id}:${frames[1]!.id}`,
      hasType('health_snapshot', 3),
    )
    expect(byCursor).toEqual(rest)
    expect((await it.get(`${path}?resume_cursor=health:other:3`)).status).toBe(400)
    const [now] = await readEnvelopes(it, path, hasType('health_snapshot'))
    const { checkpoints: _checkpoints, artifacts: _artifacts, ...last } = frames.at(-1)?.data.payload ?? {}
    expect(now?.data.payload).toMatchObject({ ...last, checkpoints: { count: 1 }, artifacts: { count: 2 } })
    expect((await it.get(`/sessions/${id}/health`)).body).toEqual(now?.data.payload)
  })
})

describe('[S28] the ten budgets', () => {
  const over: { readonly [budget in BudgetName]?: readonly [number, ...unknown[]] } = {
    min_score: [98, { tool: 'x', outcome: 'error' }],
    max_total_tokens: [5, { usage: { total_tokens: 6 } }],
    max_cost_usd: [0.5, { usage: { cost_usd: 0.6 } }],
    max_context_usage_pct: [80, { usage: { context_usage_pct: 81 } }],
    max_failed_tool_calls: [0, { tool: 'x', outcome: 'timeout' }],
    max_loop_warnings: [0, { event: { type: 'context_warning', payload: { kind: 'loop' } } }],
    max_repeated_plan_events: [
      0,
      { event: { type: 'step_progress', payload: { plan: [1] } } },
      { event: { type: 'step_progress', payload: { plan: [1] } } },
    ],
    max_tool_latency_ms: [1, { tool: 'x', ms: 2 }],
    max_events_without_evidence: [0, { event: { type: 'response', payload: { text: 'I think' } } }],
  }
  const cases = Object.entries(over).flatMap(([budget, given]) =>
    (['request_approval', 'pause'] as const).map((action) => [budget, action, given] as const),
  )
  test.each(cases)('%s, %s: crossing it stops the session once', async (budget, action, [limit, ...steps]) => {
    const it = testApp()
    const prompt = scriptPrompt(...steps, { text: 'more' }, { sleepMs: 60_000 })
    const policy = { health: { [budget]: limit, action } }
    const id = await startedSession(it, { prompt, policy }, isStatus('awaiting_approval', 'paused'))
    const { body } = await it.get(`/sessions/${id}`)
    const status = action === 'pause' ? 'paused' : 'awaiting_approval'
    expect(body).toMatchObject({
      status,
      health: {
        flags: expect.arrayContaining(['budget']),
        budget_pressure: { level: 'crossed', budgets: [{ budget, limit, level: 'crossed' }] },
        policy: { health: { [budget]: limit, action }, enforcement: { action, status, crossed: [budget] } },
      },
    })
    const { audit } = body.health as { audit: { action: string }[] }
    expect(audit.filter((row) => row.action === 'budget_crossed')).toHaveLength(1)
  })

  test('max_runtime_minutes is the only other one', () => {
    expect(BUDGETS.filter((budget) => !(budget in over))).toEqual(['max_runtime_minutes'])
  })

  const refused: { readonly [kind in (typeof budgetLimits)[BudgetName]]: readonly number[] } = {
    amount: [-1],
    percent: [-1, 101],
    positive: [-1, 0],
    whole: [-1, 0.5],
  }
  test.each(Object.entries(budgetLimits))('%s takes limits of the kind %s alone', async (budget, kind) => {
    const it = testApp()
    await it.post('/chat/sessions', { session_id: 's' })
    const statusOf = async (limit: number) =>
      (await it.post('/sessions/s/policy', { policy: { health: { [budget]: limit } } })).status
    expect([await statusOf(1), ...(await Promise.all(refused[kind].map(statusOf)))]).toEqual([
      200,
      ...refused[kind].map(() => 400),
    ])
  })

  test('set later, by an operator', async () => {
    const it = testApp()
    const id = await startedSession(
      it,
      { prompt: scriptPrompt({ usage: { total_tokens: 9 } }, { sleepMs: 60_000 }) },
      isRunning,
    )
    await waitForDetail(it, id, ({ channel }) => JSON.stringify(channel).includes('"usage"'))
    const { status, body } = await it.post(`/sessions/${id}/policy`, { policy: { health: { max_total_tokens: 5 } } })
    expect([status, body.status]).toEqual([200, 'awaiting_approval'])
  })
})

describe('[F26] bad input', () => {
  test.each<[string, Record<string, unknown>, number]>([
    ['no prompt', { prompt: undefined }, 400],
    ['an empty prompt', { prompt: ' ' }, 400],
    ['an engine there is not', { engine: 'abacus' }, 400],
    ['a native agent where there is none of that name', { engine: 'native', agent: 'nobody' }, 400],
    ['a mode in which nobody is asked', { permission_mode: 'bypassPermissions' }, 400],
    ['a mode that is the server’s to choose', { approval_mode: 'never' }, 400],
    ['retries below zero', { max_retries: -1 }, 400],
    ['half a retry', { max_retries: 0.5 }, 400],
    ['more retries than anybody means', { max_retries: 1e9 }, 400],
    ['a time that is none', { expires_at: 'soon' }, 400],
    ['a time that is a number', { expires_at: 5 }, 400],
    ['a negative budget', { policy: { health: { max_cost_usd: -1 } } }, 400],
    ['a budget that is a text', { policy: { health: { max_cost_usd: '1' } } }, 400],
    ['a score above a hundred', { policy: { health: { min_score: 101 } } }, 400],
    ['no time at all', { policy: { health: { max_runtime_minutes: 0 } } }, 400],
    ['a policy that is a list', { policy: [] }, 400],
    ['budgets that are a list', { policy: { health: [] } }, 400],
    ['a budget misspelt', { policy: { health: { max_tokens: 5 } } }, 400],
    ['an action there is not', { policy: { health: { action: 'shout' } } }, 400],
    ['a parent there is not', { parent_session_id: 'nobody' }, 400],
    ['a workspace mode there is not', { workspace: { mode: 'everything' } }, 400],
    ['a workspace where there are none', { workspace: { mode: 'write' } }, 400],
    ['an id that is none', { session_id: 'a b' }, 400],
  ])('%s starts nothing', async (_name, more, status) => {
    const it = testApp()
    const answer = await it.post('/sessions', { engine: 'scripted', prompt: 'x', ...more })
    expect([answer.status, (await it.get('/sessions')).body.sessions]).toEqual([status, []])
  })

  test.each<[string, string, object, number]>([
    ['resuming what is not paused', 'resume', {}, 409],
    ['a branch from the future', 'resume', { from_event_id: 'ev-999' }, 400],
    ['a branch by another session’s cursor', 'resume', { resume_cursor: 'checkpoint:other:2' }, 400],
    ['a branch from before anything was asked', 'resume', { from_event_id: 'ev-1' }, 400],
    ['a prompt for a session that is not branched', 'resume', { prompt: 'x' }, 400],
    ['a policy with nonsense', 'policy', { policy: { health: { max_cost_usd: Number.NaN } } }, 400],
    ['no policy', 'policy', {}, 400],
  ])('%s changes nothing', async (_name, verb, body, status) => {
    const it = testApp()
    const id = await startedSession(it, { prompt: wait }, ({ messages }) => JSON.stringify(messages).includes('"a"'))
    const seen = async () => JSON.stringify([(await it.get(`/sessions/${id}`)).body, (await it.get('/sessions')).body])
    const before = await seen()
    expect((await it.post(`/sessions/${id}/${verb}`, body)).status).toBe(status)
    expect(await seen()).toBe(before)
  })

  test.each<[string, object, string | undefined]>([
    ['a negative budget', { policy: { health: { max_cost_usd: -1, min_score: 50 } } }, 'policy.health.max_cost_usd'],
    ['the second of two', { policy: { health: { max_cost_usd: 1, min_score: 101 } } }, 'policy.health.min_score'],
    ['a budget misspelt', { policy: { health: { max_tokens: 5 } } }, 'policy.health.max_tokens'],
    ['a name without end', { policy: { health: { ['x'.repeat(9_000)]: 5 } } }, undefined],
    ['no policy', {}, 'policy'],
  ])('[H90] %s is refused by the path of its field', async (_name, body, field) => {
    const it = testApp()
    const id = await startedSession(it, { prompt: wait }, isRunning)
    const answers = [await it.post(`/sessions/${id}/policy`, body), await it.post(`/sessions/${id}/policy`, body)]
    for (const { status, body: refusal } of answers) expect([status, refusal.field]).toEqual([400, field])
  })

  test('pausing twice is a conflict', async () => {
    const it = testApp()
    const id = await startedSession(it, { prompt: wait }, isRunning)
    const answers = [await it.post(`/sessions/${id}/pause`), await it.post(`/sessions/${id}/pause`)]
    expect(answers.map(({ status }) => status)).toEqual([200, 409])
  })

  test.each(['pause', 'resume'])('%s of a session that has ended is a conflict', async (verb) => {
    const it = testApp()
    const id = await startedSession(it, { prompt: scriptPrompt({ text: 'x' }) }, isStatus('completed'))
    expect((await it.post(`/sessions/${id}/${verb}`)).status).toBe(409)
  })

  test('an approval that expired and is answered late is a conflict', async () => {
    const it = testApp()
    const id = await startedSession(it, { prompt: scriptPrompt({ approve: 'w', expiresMs: 1 }) }, isStatus('completed'))
    const { resume_points } = (await it.get(`/chat/sessions/${id}`)).body as { resume_points: { event_id: string }[] }
    const late = await it.post(`/sessions/${id}/approvals/apr-${resume_points[0]?.event_id.slice(3)}/approve`)
    expect(late).toMatchObject({ status: 409, body: { error: { message: 'The approval was already expired.' } } })
  })

  test.each(['pause', 'resume', 'cancel', 'policy'])(
    '%s of an unknown or foreign session is not found',
    async (verb) => {
      const it = testApp()
      const id = await startedSession(it, { prompt: wait }, isRunning)
      const body = { policy: {} }
      expect((await it.post(`/sessions/nobody/${verb}`, body)).status).toBe(404)
      expect((await it.post(`/sessions/${id}/${verb}`, body, { 'x-fabric-tenant': 'other' })).status).toBe(404)
    },
  )
})

test('[F7] a session that has ended refuses a prompt and says what to do; the branch that it names goes on', async () => {
  const it = testApp()
  const id = await startedSession(it, { prompt: scriptPrompt({ text: 'done' }) }, isStatus('completed'))
  expect(await it.post(`/agents/scripted/${id}`, { prompt: scriptPrompt({ text: 'more' }) })).toMatchObject({
    status: 409,
    body: { error: { message: 'The session has ended; branch from it to go on, or begin a new session.' } },
  })
  const { lastEventId } = (await it.get(`/sessions/${id}`)).body
  const branch = { from_event_id: lastEventId, prompt: scriptPrompt({ text: 'more' }) }
  const { body } = await it.post(`/sessions/${id}/resume`, branch)
  expect(await waitForDetail(it, String(body.session_id), isStatus('completed'))).toMatchObject({
    parent_session_id: id,
  })
})
