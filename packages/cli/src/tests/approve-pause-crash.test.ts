// An answer that also pauses, on a real server that is killed at once after it: the pause is in the log with the answer.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'

const packageFolder = fileURLToPath(new URL('../../../bridle', import.meta.url))

const sender = `
import { appendFileSync } from 'node:fs'
import { agent, tool } from 'bridle'
import { scriptedModel } from 'bridle/testing'

// A deed that is done again has the same key.
const deed = (name, approve) =>
  tool({
    ...{ name, approve, description: 'Does ' + name + '.', effect: 'idempotent' },
    run: ({ who }, { stepKey }) => appendFileSync('ledger.txt', name + ' ' + who + ' ' + stepKey + '\\n'),
  })

export default agent({
  name: 'sender',
  tools: [deed('send', true), deed('file', false)],
  model: scriptedModel(({ prompt, step }) => [
    { calls: [{ tool: 'send', input: { who: prompt } }] },
    { calls: [{ tool: 'file', input: { who: prompt } }] },
    { text: 'Sent to ' + prompt + '.' },
  ][step - 1]),
})
`

let world: CliWorkspace
beforeEach(async () => {
  world = new CliWorkspace()
  mkdirSync(join(world.folder, 'agents'))
  mkdirSync(join(world.folder, 'node_modules'))
  symlinkSync(packageFolder, join(world.folder, 'node_modules', 'bridle'))
  writeFileSync(join(world.folder, 'agents', 'sender.ts'), sender)
  await world.boot()
})
afterEach(() => world.remove())

const pending = async (): Promise<Record<string, string>> => {
  const { body } = await get(`${world.url}/approvals?status=pending`)
  const { approvals } = body as unknown as { approvals: { id: string; sessionId: string }[] }
  return Object.fromEntries(approvals.map(({ id, sessionId }) => [sessionId, id]))
}
const session = async (id: string) => (await get(`${world.url}/sessions/${id}`)).body
const statuses = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await session(id)).status))
/** Deeds and for whom, each key once. */
const ledger = (): string[] => {
  const file = join(world.folder, 'ledger.txt')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return [...new Set(lines)].map((line) => line.split(' ').slice(0, 2).join(' ')).toSorted()
}

const paused = ['k1', 'k2', 'k3']

test('[H79] kill -9 right after an answer that pauses: the call is done once, and nothing after it', async () => {
  for (const id of [...paused, 'plain']) void post(`${world.url}/agents/sender/${id}`, { prompt: id }).catch(() => {})
  await expect.poll(async () => Object.keys(await pending()).length).toBe(4)
  const questions = await pending()
  const answers = await Promise.all(
    Object.entries(questions).map(([id, approval]) =>
      post(`${world.url}/sessions/${id}/approvals/${approval}/approve`, { pause: id !== 'plain', actor: 'ann' }),
    ),
  )
  await world.kill()
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  await world.boot()

  // The run that was not paused goes on to its end: so much could have happened to the others.
  await expect.poll(async () => (await session('plain')).status).toBe('idle')
  await expect.poll(() => statuses(paused)).toEqual(['paused', 'paused', 'paused'])
  expect(ledger()).toEqual(['file plain', 'send k1', 'send k2', 'send k3', 'send plain'])
  for (const id of paused) {
    const { messages, approvals } = (await session(id)) as unknown as {
      messages: { content: string; toolCalls?: object[] }[]
      approvals: object[]
    }
    expect([id, approvals, messages.at(-1)?.content]).toEqual([id, [], ''])
    expect([id, messages.at(-1)?.toolCalls]).toMatchObject([id, [{ name: 'send', status: 'complete', outcome: 'ok' }]])
  }

  await post(`${world.url}/sessions/k2/resume`, {})
  await expect.poll(() => statuses(paused)).toEqual(['paused', 'idle', 'paused'])
  expect(ledger()).toEqual(['file k2', 'file plain', 'send k1', 'send k2', 'send k3', 'send plain'])
})
