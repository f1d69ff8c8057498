import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import {
  envelopeTypes,
  hasType,
  isStatus,
  readEnvelopes,
  scriptPrompt,
  startedSession,
  waitForDetail,
} from './frontend.suite.ts'

const chat = async (body: object = {}) => {
  const it = testApp()
  const { status, body: made } = await it.post('/chat/sessions', { engine: 'scripted', ...body })
  expect(status).toBe(201)
  const id = String(made.session_id)
  return { it, id, made, path: `/chat/sessions/${id}` }
}
const turn = async ({ it, path, id }: Awaited<ReturnType<typeof chat>>, ...steps: unknown[]) => {
  const { status, body } = await it.post(`${path}/turns`, { prompt: scriptPrompt(...steps) })
  expect(status).toBe(202)
  await waitForDetail(it, id, isStatus('idle', 'failed'))
  return body
}

describe('[F9] a chat session', () => {
  test('is made with its settings, and answers with its health', async () => {
    const { made, id } = await chat({ title: 'Plans', model: 'm-1', permission_mode: 'plan' })
    expect(id).toMatch(/^chat-/)
    expect(made).toMatchObject({
      session_id: id,
      status: 'idle',
      kind: 'chat',
      title: 'Plans',
      model: 'm-1',
      permission_mode: 'plan',
      engine: 'scripted',
      health: { score: 100 },
    })
  })

  test('[EN2] may choose that an engine is given nothing of its repository, and not that it is given more', async () => {
    const { made, id, it } = await chat({ repository: 'none' })
    expect(made).toMatchObject({ repository: 'none' })
    expect((await it.get(`/sessions/${id}`)).body).toMatchObject({ repository: 'none' })
    expect((await it.post('/chat/sessions', { repository: 'all' })).status).toBe(400)
    expect((await chat({ repository: 'instructions' })).made).not.toHaveProperty('repository')
  })

  test('is made once by a key, and by a name', async () => {
    const it = testApp()
    const made = () => it.post('/chat/sessions', { title: 'a' }, { 'idempotency-key': 'k1' })
    const [first, again] = [await made(), await made()]
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body.session_id).toBe(first.body.session_id)
    const other = await it.post('/chat/sessions', { title: 'b' }, { 'idempotency-key': 'k1' })
    expect(other.status).toBe(409)
    expect((await it.post('/chat/sessions', { session_id: 'mine' })).status).toBe(201)
    expect((await it.post('/chat/sessions', { session_id: 'mine' })).status).toBe(409)
  })

  test('takes a turn: 202 and where it stands', async () => {
    const made = await chat()
    const answer = await turn(made, { text: 'Hi' })
    expect(answer).toMatchObject({ session_id: made.id, turn_id: 'r-3', run_id: 'r-3', delivery: 'started' })
    expect((await made.it.get(made.path)).body).toMatchObject({ status: 'idle', messages: [{}, { content: 'Hi' }] })
  })

  test('takes a turn and streams it to its end, where that is accepted; the next turn is not part of it', async () => {
    const { it, path } = await chat()
    await it.post(`${path}/turns`, { prompt: scriptPrompt({ text: 'first' }) })
    const frames = await readEnvelopes(it, `${path}/turns?tier=default`, undefined, {
      method: 'POST',
      headers: { accept: 'text/event-stream' },
      body: { prompt: scriptPrompt({ text: 'second' }) },
    })
    expect(frames[0]?.data).toMatchObject({ type: 'session' })
    expect(frames.slice(-2).map(({ data }) => [data.type, data.payload.status])).toEqual([
      ['turn_end', 'completed'],
      ['session_state', 'idle'],
    ])
    const tokens = frames.filter(({ data }) => data.type === 'token').map(({ data }) => data.payload.text)
    expect(tokens).toEqual(['second'])
  })

  test('streams a turn that is over, asked again by its key, as it was, and nothing of what came since', async () => {
    const { it, path } = await chat()
    const stream = () =>
      readEnvelopes(it, `${path}/turns?tier=default`, undefined, {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'idempotency-key': 'one' },
        body: { prompt: scriptPrompt({ text: 'first' }) },
      })
    const [, ...first] = await stream()
    expect((await it.post(`/sessions/${path.slice('/chat/sessions/'.length)}/pause`, {})).status).toBe(200)
    expect((await stream()).slice(1).map(({ raw }) => raw)).toEqual(first.map(({ raw }) => raw))
  })

  test('streams a turn that others wait behind, and nothing of theirs', async () => {
    const { it, path } = await chat()
    const frames = readEnvelopes(it, `${path}/turns?tier=default`, undefined, {
      method: 'POST',
      headers: { accept: 'text/event-stream' },
      body: { prompt: scriptPrompt({ sleepMs: 200 }, { text: 'first' }) },
    })
    await waitForDetail(it, path.slice('/chat/sessions/'.length), isStatus('running'))
    await it.post(`${path}/turns`, { prompt: scriptPrompt({ text: 'second' }) })
    const shown = (await frames).map(({ data }) => data)
    expect(shown.at(-1)).toMatchObject({ type: 'turn_end', payload: { queued: 1 } })
    expect(shown.filter(({ type }) => type === 'token').map(({ payload }) => payload.text)).toEqual(['first'])
  })

  test('[F10] one key is one turn', async () => {
    const { it, path } = await chat()
    const ask = () => it.post(`${path}/turns`, { prompt: scriptPrompt({ text: 'x' }) }, { 'idempotency-key': 't1' })
    const [first, again] = [await ask(), await ask()]
    expect(again.body.turn_id).toBe(first.body.turn_id)
  })
})

describe('[F12] the detail', () => {
  test('has resume points in order, of checkpoints, approvals and completed turns', async () => {
    const made = await chat()
    await turn(made, { checkpoint: 'half way' }, { approve: 'write_file', expiresMs: 1 }, { text: 'done' })
    const { body } = await made.it.get(made.path)
    const points = body.resume_points as { kind: string; event_id: string; resume_cursor: string; summary: string }[]
    expect(points.map(({ kind, summary }) => [kind, summary])).toEqual([
      ['checkpoint', 'half way'],
      ['approval', 'write_file: The script asks for approval.'],
      ['turn', 'done'],
    ])
    for (const { kind, event_id, resume_cursor } of points)
      expect(resume_cursor).toBe(`${kind}:${made.id}:${event_id.slice(3)}`)
  })

  test('[F13] has delegated work as it was last told', async () => {
    const made = await chat()
    const say = (agent_id: string, status: string, more = {}) => ({
      event: { type: 'subagent_event', payload: { agent_id, status, ...more } },
    })
    await turn(made, say('a', 'running'), say('b', 'running'), say('a', 'completed', { result: 'found' }))
    const { body } = await made.it.get(made.path)
    expect(body.subagents).toMatchObject([
      { agent_id: 'b', status: 'running', parent_session_id: made.id },
      { agent_id: 'a', status: 'completed', result: 'found', parent_session_id: made.id },
    ])
  })

  test('[F14] has the artifacts of background sessions that hang from it, and of no other', async () => {
    const made = await chat()
    const child = await startedSession(
      made.it,
      { prompt: scriptPrompt({ text: 'report' }), parent_session_id: made.id },
      isStatus('completed'),
    )
    await startedSession(made.it, { prompt: scriptPrompt({ text: 'other' }) }, isStatus('completed'))
    const { body } = await made.it.get(made.path)
    expect((body.background_artifacts as object[]).map((each) => ({ ...each }))).toMatchObject([
      { session_id: child, artifact_type: 'final_output' },
      { session_id: child, artifact_type: 'run_record' },
    ])
  })
})

describe('[F15] the channel', () => {
  test('has who took part, and envelopes from one to another; approvals pass through the operator', async () => {
    const made = await chat()
    await turn(
      made,
      { tool: 'read_file', id: 'c1', result: { ok: 1 } },
      { approve: 'write_file', id: 'c2', expiresMs: 1 },
      { text: 'done', chunks: 2 },
    )
    const { body } = await made.it.get(made.path)
    const { channel_id, participants, envelopes } = body.channel as {
      channel_id: string
      participants: { participant_id: string }[]
      envelopes: { sender_id: string; recipient_ids: string[]; event_type: string; payload: object }[]
    }
    expect(channel_id).toBe(`session:${made.id}`)
    expect(participants.map(({ participant_id }) => participant_id)).toEqual([
      'runtime',
      'agent:scripted',
      'operator',
      'tool:read_file',
      'tool:write_file',
    ])
    const way = (type: string) =>
      envelopes
        .filter(({ event_type }) => event_type === type)
        .map(({ sender_id, recipient_ids }) => `${sender_id} > ${recipient_ids.join(', ')}`)
    expect(way('tool_call')).toEqual(['agent:scripted > tool:read_file', 'agent:scripted > tool:write_file'])
    expect(way('tool_outcome')).toEqual(['tool:read_file > agent:scripted', 'tool:write_file > agent:scripted'])
    expect(way('approval_required')).toEqual(['agent:scripted > operator'])
    expect(way('approval_applied')).toEqual(['runtime > operator, agent:scripted'])
    expect(way('token')).toEqual([])
    expect(envelopes.find(({ event_type }) => event_type === 'response')?.payload).toEqual({ text: 'done' })
  })

  test('is bounded, and the same log gives the same bytes', async () => {
    const made = await chat()
    await turn(made, ...Array.from({ length: 80 }, (_, index) => ({ thinking: `thought ${index}` })))
    const once = JSON.stringify((await made.it.get(made.path)).body.channel)
    const { envelopes } = JSON.parse(once)
    expect(envelopes).toHaveLength(20)
    expect(JSON.stringify((await made.it.get(`/sessions/${made.id}`)).body.channel)).toBe(once)
  })
})

describe('[F11] a branch', () => {
  const told2 = async () => {
    const made = await chat()
    await turn(made, { text: 'one' })
    await turn(made, { text: 'two' })
    const { body } = await made.it.get(made.path)
    const points = body.resume_points as { resume_cursor: string; event_id: string }[]
    return { ...made, first: points[0]! }
  }

  test.each(['from_event_id', 'resume_cursor'] as const)('goes on from %s, and leaves its parent alone', async (by) => {
    const { it, id, path, first } = await told2()
    const before = JSON.stringify((await it.get(path)).body)
    const { status, body } = await it.post(`${path}/branch`, {
      [by]: by === 'from_event_id' ? first.event_id : first.resume_cursor,
    })
    expect(status).toBe(201)
    const cursor = by === 'from_event_id' ? `branch:${id}:${first.event_id.slice(3)}` : first.resume_cursor
    expect(body).toMatchObject({
      kind: 'chat',
      status: 'idle',
      parent_session_id: id,
      branch_source_event_id: first.event_id,
      branch_resume_cursor: cursor,
      health: { score: 100 },
    })
    const child = (await it.get(`/chat/sessions/${body.session_id}`)).body
    expect((child.messages as { content: string }[]).map(({ content }) => content)).toEqual([expect.anything(), 'one'])
    expect((child.checkpoints as object[])[0]).toMatchObject({
      checkpoint_type: 'resume_seed',
      status: 'completed',
      resume_cursor: cursor,
    })
    const again = await it.post(`/chat/sessions/${body.session_id}/branch`, { resume_cursor: cursor })
    expect(again.status).toBe(201)
    await it.post(`/chat/sessions/${body.session_id}/turns`, { prompt: scriptPrompt({ text: 'three' }) })
    await waitForDetail(it, String(body.session_id), ({ messages }) => (messages as unknown[]).length === 4)
    expect(JSON.stringify((await it.get(path)).body)).toBe(before)
  })

  test('shares the history: its stream begins with it', async () => {
    const { it, path, first } = await told2()
    const { body } = await it.post(`${path}/branch`, { from_event_id: first.event_id })
    const frames = await readEnvelopes(
      it,
      `/chat/sessions/${body.session_id}/events/stream`,
      hasType('session_checkpoint'),
    )
    expect(envelopeTypes(frames)).toContain('turn_end')
    expect(frames.find(({ data }) => data.type === 'token')?.data.payload.text).toBe('one')
  })

  test('outlives its parent: what it shares with it stays', async () => {
    const { it, id, path, first } = await told2()
    const { body } = await it.post(`${path}/branch`, { from_event_id: first.event_id })
    expect((await it.ask('DELETE', `/agents/scripted/${id}`)).status).toBe(200)
    expect((await it.get(path)).status).toBe(404)
    const child = (await it.get(`/chat/sessions/${body.session_id}`)).body
    expect((child.messages as { content: string }[]).at(-1)?.content).toBe('one')
    expect(child.resume_points).toHaveLength(2)
  })

  test('one key is one branch', async () => {
    const { it, path, first } = await told2()
    const ask = (from: string) => it.post(`${path}/branch`, { from_event_id: from }, { 'idempotency-key': 'b1' })
    const [made, again] = [await ask(first.event_id), await ask(first.event_id)]
    expect([made.status, again.status]).toEqual([201, 201])
    expect(again.body.session_id).toBe(made.body.session_id)
    expect((await ask('ev-2')).status).toBe(409)
  })
})

describe('[F26] bad input', () => {
  test.each<[string, string, unknown, number]>([
    ['no prompt', '/turns', {}, 400],
    ['an empty prompt', '/turns', { prompt: '  ' }, 400],
    ['a prompt that is no text', '/turns', { prompt: 1 }, 400],
    ['a branch from nowhere', '/branch', {}, 400],
    ['a branch from the future', '/branch', { from_event_id: 'ev-9999' }, 400],
    ['a branch from no event', '/branch', { from_event_id: 'yesterday' }, 400],
    ['a branch from before the first event', '/branch', { from_event_id: 'ev-0' }, 400],
    ['a branch by no cursor', '/branch', { resume_cursor: 'turn-7' }, 400],
    ['a branch by another session’s cursor', '/branch', { resume_cursor: 'turn:other:2' }, 400],
    ['a branch by a cursor of the future', '/branch', { resume_cursor: 'turn:mine:9999' }, 400],
    ['a branch by two places', '/branch', { resume_cursor: 'turn:mine:2', from_event_id: 'ev-3' }, 400],
    ['a branch into itself', '/branch', { from_event_id: 'ev-2', session_id: 'mine' }, 409],
    ['a branch into another', '/branch', { from_event_id: 'ev-2', session_id: 'taken' }, 409],
  ])('%s changes nothing', async (_name, where, body, status) => {
    const made = await chat({ session_id: 'mine' })
    await made.it.post('/chat/sessions', { session_id: 'taken' })
    await turn(made, { text: 'Hi' })
    const seen = async () =>
      JSON.stringify([(await made.it.get(made.path)).body, (await made.it.get('/sessions')).body])
    const before = await seen()
    expect((await made.it.post(`${made.path}${where}`, body)).status).toBe(status)
    expect(await seen()).toBe(before)
  })

  test.each(['turns', 'branch'])('%s of an unknown session, or another tenant’s, is not found', async (verb) => {
    const { it, path } = await chat()
    const body = { prompt: 'x', from_event_id: 'ev-1' }
    expect((await it.post(`/chat/sessions/nobody/${verb}`, body)).status).toBe(404)
    expect((await it.post(`${path}/${verb}`, body, { 'x-fabric-tenant': 'other' })).status).toBe(404)
    expect((await it.get('/sessions')).body.sessions).toHaveLength(1)
  })

  test.each<[string, object, number]>([
    ['an engine there is not', { engine: 'abacus' }, 400],
    ['an agent there is not', { agent: 'nobody' }, 400],
    ['an agent of another engine', { engine: 'claude', agent: 'scripted' }, 400],
    ['an agent that lacks its key', { agent: 'keyless' }, 503],
    ['an id that is none', { session_id: 'a/b' }, 400],
    ['a budget misspelt', { policy: { health: { max_tokens: 1 } } }, 400],
  ])('%s makes no session', async (_name, body, status) => {
    const it = testApp()
    expect((await it.post('/chat/sessions', body)).status).toBe(status)
    expect((await it.get('/sessions')).body.sessions).toEqual([])
  })
})
