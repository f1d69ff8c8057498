// Branches that leave a durable run in the middle of its turn, through the routes that branch.
import { describe, expect, test, vi } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { waitingRunner } from '../http/waiting-runner.suite.ts'

/** Two chats of two agents, each with a turn that has its first signal and waits for its second. */
const setUp = async () => {
  const it = testApp({}, { waiter: waitingRunner(), other: waitingRunner() })
  const chats = [
    ['waiter', 'one'],
    ['other', 'two'],
  ] as const
  for (const [agent, id] of chats) {
    await it.post('/chat/sessions', { agent, session_id: id })
    await it.post(`/chat/sessions/${id}/turns`, { prompt: 'a b' })
    await it.post(`/sessions/${id}/signal`, { name: 'a', payload: `${id} a` })
  }
  const head = async (id: string) => (await it.get(`/sessions/${id}`)).body.lastEventId
  const branch = async (id: string, body: object = {}) => {
    const from = { from_event_id: await head(id), session_id: `${id}-b`, ...body }
    const { status, body: receipt } = await it.post(`/sessions/${id}/resume`, from)
    expect([status, receipt.session_id, receipt.delivery]).toEqual([201, `${id}-b`, 'started'])
    return String(receipt.runId)
  }
  const run = async (id: string, runId: string) => (await it.get(`/sessions/${id}/runs/${runId}`)).body
  const signal = async (id: string, name: string, payload: string) =>
    (await it.post(`/sessions/${id}/signal`, { name, payload })).status
  return { ...it, branch, run, signal, head }
}

describe('[F11] a branch in the middle of a durable turn', () => {
  test('continues that turn where it has no prompt, and leaves its parent alone', async () => {
    const { branch, run, signal, get } = await setUp()
    const runs = { one: await branch('one'), two: await branch('two') }
    await signal('one-b', 'b', 'branch b')
    await signal('two', 'b', 'parent b')
    await vi.waitFor(async () => {
      expect(await run('one-b', runs.one)).toMatchObject({ status: 'completed', result: ['one a', 'branch b'] })
      expect(await run('two', 'r-3')).toMatchObject({ status: 'completed', result: ['two a', 'parent b'] })
    })
    for (const id of ['one', 'two-b']) expect((await get(`/sessions/${id}`)).body.status).toBe('running')
    await signal('one', 'b', 'parent b')
    await signal('two-b', 'b', 'branch b')
    await vi.waitFor(async () => {
      expect(await run('one', 'r-3')).toMatchObject({ status: 'completed', result: ['one a', 'parent b'] })
      expect(await run('two-b', runs.two)).toMatchObject({ status: 'completed', result: ['two a', 'branch b'] })
    })
  })

  test('continues from a place before a signal without that signal', async () => {
    const { branch, run, signal, get } = await setUp()
    const { audit } = (await get('/sessions/one/audit')).body as { audit: { event_id: string }[] }
    const before = `ev-${Number(audit[0]?.event_id.slice(3)) - 1}`
    const runId = await branch('one', { from_event_id: before })
    await signal('one-b', 'b', 'branch b')
    await signal('one-b', 'a', 'branch a')
    await vi.waitFor(async () =>
      expect(await run('one-b', runId)).toMatchObject({ status: 'completed', result: ['branch a', 'branch b'] }),
    )
  })

  test('starts a turn of its own with a prompt, and comes to rest without a run', async () => {
    const { branch, run, signal, post, get, head } = await setUp()
    const runId = await branch('one', { prompt: 'b a' })
    await signal('one-b', 'b', 'branch b')
    await signal('one-b', 'a', 'branch a')
    await vi.waitFor(async () =>
      expect(await run('one-b', runId)).toMatchObject({ status: 'completed', result: ['branch b', 'branch a'] }),
    )
    await post('/chat/sessions/two/branch', { from_event_id: await head('two'), session_id: 'two-rests' })
    expect((await get('/sessions/two-rests')).body.status).toBe('idle')
    expect(await signal('two-rests', 'b', 'nobody waits')).toBe(409)
  })
})
