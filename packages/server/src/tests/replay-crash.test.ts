// kill -9 in the middle of replays: their queues are in the log, and the next process asks what is left.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServerProcess } from './server-process.suite.ts'

let folder: string
let server: ServerProcess
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-replay-'))
  server = new ServerProcess(folder)
  await server.boot()
})
afterEach(async () => {
  await server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const detail = async (id: string) => (await get(`${server.url}/sessions/${id}`)).body
/** Approves what the session waits for. */
const approve = async (id: string): Promise<void> => {
  await expect.poll(async () => (await detail(id)).status, { timeout: 20_000 }).toBe('awaiting_approval')
  const [approval] = (await detail(id)).approvals as { id: string }[]
  expect((await post(`${server.url}/sessions/${id}/approvals/${approval?.id}/approve`, {})).status).toBe(200)
}
const answersOf = async (id: string) =>
  ((await detail(id)).messages as { role: string; content: string }[])
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => content)

test('[X65] three replays go on behind a kill, each with all of its prompts', { timeout: 90_000 }, async () => {
  const ids = ['a', 'b', 'c']
  for (const id of ids) {
    const first = post(`${server.url}/agents/scripted/${id}`, scriptBody({ approve: 'write' }, { text: `${id} one` }))
    await approve(id)
    await first
    for (const turn of ['two', 'three'])
      await post(`${server.url}/agents/scripted/${id}`, scriptBody({ text: `${id} ${turn}` }))
  }
  const replay = async (id: string) =>
    (await post(`${server.url}/sessions/${id}/replay`, {}, { 'idempotency-key': `again-${id}` })).body
  const children = await Promise.all(ids.map(async (id) => String((await replay(id)).sessionId)))
  await server.kill('SIGKILL')
  await server.boot()
  for (const [index, id] of ids.entries()) {
    const child = children[index] ?? ''
    // A caller that got no answer asks again, and gets the same branch.
    expect(await replay(id)).toMatchObject({ sessionId: child, prompts: 3 })
    await approve(child)
    await expect.poll(() => answersOf(child), { timeout: 20_000 }).toEqual([`${id} one`, `${id} two`, `${id} three`])
    expect(await answersOf(id)).toEqual([`${id} one`, `${id} two`, `${id} three`])
  }
})
