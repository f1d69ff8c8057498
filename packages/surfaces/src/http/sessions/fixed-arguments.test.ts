import { callDigest } from '@bridle/kernel/host/approval-binding'
import type { RunEnd, Runner } from '@bridle/kernel/ports/runner'
import { digest } from '@bridle/system/system-ports'
import { expect, test, vi } from 'vitest'
import { testApp } from '../test-app.suite.ts'

/** A run that nobody ends. */
const working = () => new Promise<RunEnd>(() => {})

/** Asks about one call, which it makes as it is or not at all. */
const fixedRunner: Runner = {
  start: async (_job, reporter) => {
    const call = { toolCallId: 'c', tool: 'shell', arguments: { command: 'ls' } }
    const requested = await callDigest(digest, call.tool, call.arguments)
    await reporter.report([
      { type: 'started' },
      { type: 'event', event: { type: 'tool_call', payload: { name: 'shell', arguments: {}, tool_call_id: 'c' } } },
      { type: 'ask', ...call, reason: 'It runs a command.', digest: requested, fixed: true },
    ])
    return working()
  },
  attach: () => working(),
  abort: async () => null,
  answer: async () => {},
}

test('[S66] an edit of a call that is made only as it is: 400 in three sessions, and the approval stays open', async () => {
  const it = testApp({}, { codex: fixedRunner })
  const ids = ['one', 'two', 'three']
  for (const id of ids) await it.post(`/agents/codex/${id}`, { prompt: 'x' }, { prefer: 'respond-async' })
  const open = async (id: string) => ((await it.get(`/sessions/${id}`)).body.approvals ?? []) as { id: string }[]
  for (const id of ids) await vi.waitFor(async () => expect(await open(id)).toHaveLength(1))
  for (const id of ids) {
    const approve = `/sessions/${id}/approvals/${(await open(id))[0]?.id}/approve`
    expect(await it.post(approve, { args: { command: 'rm' } })).toMatchObject({
      status: 400,
      body: { error: 'The arguments of this call cannot change. Approve it as it is, or deny it.' },
    })
    expect(await open(id)).toHaveLength(1)
    expect((await it.post(approve, { args: { command: 'ls' } })).status).toBe(200)
  }
})
