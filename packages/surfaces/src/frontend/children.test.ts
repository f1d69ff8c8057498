import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { hasType, isStatus, readEnvelopes, scriptPrompt, startedSession, waitForDetail } from './frontend.suite.ts'

interface Subagent {
  readonly agent_id: string
  readonly status: string
  readonly session_id: string
  readonly parent_session_id: string
}

describe('[F36] a session that is started from another shows there', () => {
  test('three children of a chat: each when it starts and when it ends, on the stream and in the detail', async () => {
    const it = testApp()
    const parent = String((await it.post('/chat/sessions', { agent: 'scripted' })).body.session_id)
    const children = await Promise.all(
      [
        [scriptPrompt({ text: 'done' }), 'completed'],
        [scriptPrompt({ fail: 'broken' }), 'failed'],
        [scriptPrompt({ sleepMs: 60_000 }), 'running'],
      ].map(([prompt, status]) => startedSession(it, { prompt, parent_session_id: parent }, isStatus(String(status)))),
    )
    await it.post(`/sessions/${children[2]}/cancel`)
    const frames = await readEnvelopes(it, `/chat/sessions/${parent}/events/stream`, hasType('subagent_event', 6))
    const events = frames.filter(({ data }) => data.type === 'subagent_event').map(({ data }) => data.payload)
    for (const [index, end] of ['completed', 'failed', 'cancelled'].entries()) {
      const of = events.filter(({ agent_id }) => agent_id === children[index])
      expect(of.map(({ status }) => status)).toEqual(['running', end])
      expect(of[0]).toMatchObject({ parent_session_id: parent, session_id: children[index], agent: 'scripted' })
    }
    const { body } = await it.get(`/chat/sessions/${parent}`)
    const subagents = body.subagents as Subagent[]
    expect(new Map(subagents.map(({ session_id, status }) => [session_id, status]))).toEqual(
      new Map([
        [children[0], 'completed'],
        [children[1], 'failed'],
        [children[2], 'cancelled'],
      ]),
    )
    // The parent itself has done nothing.
    expect(body).toMatchObject({ status: 'idle', messages: [] })
  })

  test('a child of background work shows in its detail; a branch is no child, and a parent that is gone is no trouble', async () => {
    const it = testApp()
    const parent = await startedSession(it, { prompt: scriptPrompt({ text: 'done' }) }, isStatus('completed'))
    const child = await startedSession(
      it,
      { prompt: scriptPrompt({ text: 'x' }), parent_session_id: parent },
      isStatus('completed'),
    )
    const detail = await waitForDetail(
      it,
      parent,
      ({ subagents }) => (subagents as Subagent[])[0]?.status === 'completed',
    )
    expect(detail.subagents).toMatchObject([{ agent_id: child, status: 'completed' }])
    const branched = await it.post(`/sessions/${parent}/resume`, {
      from_event_id: 3,
      prompt: scriptPrompt({ text: 'y' }),
    })
    await waitForDetail(it, String(branched.body.session_id), isStatus('completed'))
    const orphan = await startedSession(
      it,
      { prompt: scriptPrompt({ sleepMs: 60_000 }), parent_session_id: parent },
      isStatus('running'),
    )
    await waitForDetail(it, parent, ({ subagents }) => (subagents as Subagent[]).length === 2)
    expect((await it.ask('DELETE', `/agents/scripted/${parent}`)).status).toBe(200)
    await it.post(`/sessions/${orphan}/cancel`)
    await waitForDetail(it, orphan, isStatus('cancelled'))
  })
})
