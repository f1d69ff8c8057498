// The subagent that makes a call.
import { expect, test } from 'vitest'
import { call, eventReport, outcome, running, started, TestSession } from './rules.suite.ts'

const agentsOf = (life: TestSession) =>
  (['tool_call', 'tool_result', 'tool_outcome'] as const).flatMap((type) =>
    life.payloads(type).map(({ tool_call_id, agent_id }) => `${type} ${tool_call_id} ${agent_id ?? '-'}`),
  )
const subagent = (agent_id: string, tool_call_id?: string, status = 'started') =>
  eventReport('subagent_event', { agent_id, status, ...(tool_call_id && { tool_call_id }) })
const below = (parent: string, id: string) =>
  eventReport('tool_call', { name: 'read', arguments: {}, tool_call_id: id, parent_tool_call_id: parent })

test('[H82] an engine’s calls name the subagent whose work they belong to', () => {
  const life = running()
  life.report(call('task1'), call('task2'), subagent('a', 'task1'), subagent('b', 'task2'))
  // Progress does not repeat the call that delegated the work.
  life.report(subagent('a', undefined, 'running'), below('task1', 'c1'), below('task2', 'c2'), call('own'))
  // A call below a call of a subagent is of the same work; one below an unknown call names nobody.
  life.report(below('c1', 'c3'), below('absent', 'c4'))
  life.report(eventReport('tool_result', { tool_call_id: 'c1', result: 'r' }), outcome('c1'), outcome('own'))
  life.do({ type: 'cancel' })
  life.report({ type: 'stopped' })
  expect(agentsOf(life)).toEqual([
    ...['tool_call task1 -', 'tool_call task2 -', 'tool_call c1 a', 'tool_call c2 b', 'tool_call own -'],
    ...['tool_call c3 a', 'tool_call c4 -', 'tool_result c1 a', 'tool_outcome c1 a', 'tool_outcome own -'],
    ...['tool_outcome task1 -', 'tool_outcome task2 -', 'tool_outcome c2 b', 'tool_outcome c3 a', 'tool_outcome c4 -'],
  ])
})

test('[H82] every call of a session that does a task is the subagent’s, under the id that its parent knows', () => {
  const life = new TestSession()
  life.submit('do it', { parentSessionId: 'above', delegation: { agent: 'lead', depth: 1 } })
  life.report(started(), call('c1'), eventReport('tool_result', { tool_call_id: 'c1', result: 1 }), outcome('c1'))
  expect(agentsOf(life)).toEqual(['tool_call c1 s1', 'tool_result c1 s1', 'tool_outcome c1 s1'])
})
