// Workspaces on a target that has none, and of agents that have none: refused on every wire.

import { type AgentInfo, acceptPrompt } from '@bridle/kernel/agent-info'
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'

const asked = { workspace: { mode: 'write', source: '/srv/app' } }

test('[H114] a target without a disk refuses a workspace, and makes no session', async () => {
  const it = testApp()
  const answers = [
    await it.post('/chat/sessions', { agent: 'scripted', ...asked }),
    await it.post('/sessions', { agent: 'scripted', prompt: 'x', ...asked }),
    await it.post('/agents/scripted/s1?workspace=/srv/app', { prompt: 'x' }),
    await it.post('/agents/scripted/s1?workspace_mode=write', { prompt: 'x' }),
  ]
  for (const { status, body } of answers)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('prepares no workspaces')])
  expect((await it.get('/sessions')).body.sessions).toEqual([])
  expect((await it.get('/workspaces')).body).toEqual({ modes: [], sources: [], any_source: false })
})

test.each(['', ' ', '\t\n'])('[H156] the source %j is refused, and the answer says what to write', async (source) => {
  const it = testApp()
  const named = encodeURIComponent(source)
  const answers = [
    await it.post('/chat/sessions', { agent: 'scripted', workspace: { mode: 'write', source } }),
    await it.post('/sessions', { agent: 'scripted', prompt: 'x', workspace: { source } }),
    await it.post('/sessions', { agent: 'scripted', prompt: 'x', workspace: { mode: 'in_place', source } }),
    await it.post(`/agents/scripted/s1?workspace=${named}`, { prompt: 'x' }),
    await it.post(`/agents/scripted/s2?workspace=${named}&workspace_mode=in_place`, { prompt: 'x' }),
  ]
  for (const { status, body } of answers)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('An empty text names no folder.')])
  expect(answers[0]?.body.field).toBe('workspace.source')
  expect((await it.get('/sessions')).body.sessions).toEqual([])
})

const away: AgentInfo = {
  ...{ name: 'away', engine: 'away', runnerKind: 'bridge', description: 'Elsewhere.', webhook: false, needs: null },
  ...{ accept: acceptPrompt, workspaceProblem: 'It runs elsewhere.' },
}

test('[H114] an agent that runs elsewhere has none', async () => {
  const refuse = async () => {
    throw new Error('Nothing is to be prepared.')
  }
  const offer = { modes: ['write'], sources: [], any_source: false } as const
  const it = testApp({
    workspaces: { prepare: refuse, has: refuse, offer: () => offer },
    agents: new Map([['away', away]]),
  })
  const { status, body } = await it.post('/chat/sessions', { agent: 'away', ...asked })
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('It runs elsewhere.')])
})
