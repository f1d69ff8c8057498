// README's own agent behind a real server, which is killed while the agent waits; and one that pays, killed in the middle.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { get, post, readFrames } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'

const packageFolder = fileURLToPath(new URL('../../../bridle', import.meta.url))
const readme = readFileSync(join(packageFolder, '../../README.md'), 'utf8')
const greet = /## An agent of your own\n.*?```ts\n(.*?)```/s.exec(readme)?.[1] ?? ''

const pay = `
import { appendFileSync } from 'node:fs'
import { agent } from 'bridle'

export default agent({
  name: 'pay',
  run: async ({ input, session }) => {
    const order = await session.step('order', () => ({ id: Math.random() }))
    appendFileSync('ledger.txt', \`order \${input.prompt} \${order.id}\\n\`)
    await session.tool('pay', { who: String(input.prompt) }, ({ who }) => appendFileSync('ledger.txt', \`pay \${who}\\n\`))
    const { approved } = await session.approval({ subject: 'ship', reason: 'It leaves the house.' })
    await session.sleep('a while', 1_500)
    const stars = await session.waitFor('stars')
    await session.text(\`\${approved} \${stars}\`)
  },
})
`

let world: CliWorkspace
beforeEach(async () => {
  world = new CliWorkspace()
  mkdirSync(join(world.folder, 'agents'))
  mkdirSync(join(world.folder, 'node_modules'))
  symlinkSync(packageFolder, join(world.folder, 'node_modules', 'bridle'))
  writeFileSync(join(world.folder, 'agents', 'greet.ts'), greet)
  writeFileSync(join(world.folder, 'agents', 'pay.ts'), pay)
  await world.boot()
})
afterEach(() => world.remove())

const restart = async () => {
  await world.kill()
  await world.boot()
}
const ask = (agent: string, id: string, prompt: string) =>
  // The answer comes when the run has ended; a server that is killed has none.
  void post(`${world.url}/agents/${agent}/${id}`, { prompt }).catch(() => {})
const pending = async (): Promise<Record<string, string>> => {
  const { body } = await get(`${world.url}/approvals?status=pending`)
  const { approvals } = body as unknown as { approvals: { id: string; sessionId: string }[] }
  return Object.fromEntries(approvals.map(({ id, sessionId }) => [sessionId, id]))
}
const approve = (session: string, id: string) =>
  post(`${world.url}/sessions/${session}/approvals/${id}/approve`, {}).then(({ status }) => status)
const completed = async (session: string, agent: string) =>
  (
    await readFrames(`${world.url}/agents/${agent}/${session}/stream`, (frames) => frames.at(-1)?.data.type === 'idle')
  ).flatMap(({ data }) => (data.type === 'idle' ? [] : [data]))

test('[N14] README’s agent survives kill -9 while it waits, in a chat and in the background', {
  timeout: 120_000,
}, async () => {
  expect(greet).toContain("name: 'greet'")
  ask('greet', 'k1', 'Ada')
  ask('greet', 'k2', 'Ben')
  const started = await post(`${world.url}/sessions`, { agent: 'greet', prompt: 'Cyd', max_retries: 0 })
  const background = String(started.body.session_id)
  await expect
    .poll(pending)
    .toMatchObject({ k1: expect.any(String), k2: expect.any(String), [background]: expect.any(String) })
  const ids = await pending()
  for (let kills = 0; kills < 2; kills++) {
    await restart()
    expect(await pending()).toEqual(ids)
  }
  for (const [session, id] of Object.entries(ids)) expect(await approve(session, id)).toBe(200)
  const state = async (session: string) => (await get(`${world.url}/sessions/${session}`)).body
  await expect.poll(() => state(background)).toMatchObject({ status: 'completed', attempt_count: 1 })
  for (const [session, name] of [
    ['k1', 'Ada'],
    ['k2', 'Ben'],
  ] as const) {
    const told = JSON.stringify(await completed(session, 'greet'))
    expect(told).toContain(`Hello, ${name}. wrote greeting.txt`)
  }
  // The agent does what its answer says.
  expect(readFileSync(join(world.folder, 'greeting.txt'), 'utf8')).toMatch(/^Hello, (Ada|Ben|Cyd)\.\n$/)
})

test('[N50] [N54] [N56] a payment happens once, whenever the server is killed', { timeout: 120_000 }, async () => {
  for (const id of ['p1', 'p2', 'p3']) ask('pay', id, id)
  await expect.poll(async () => Object.keys(await pending()).length).toBe(3)
  await restart()
  for (const [session, id] of Object.entries(await pending())) expect(await approve(session, id)).toBe(200)
  await restart()
  for (const id of ['p1', 'p2', 'p3'])
    expect((await post(`${world.url}/sessions/${id}/signal`, { name: 'stars', payload: 5 })).status).toBeLessThan(300)
  await restart()
  for (const id of ['p1', 'p2', 'p3']) {
    await expect
      .poll(async () => JSON.stringify((await get(`${world.url}/sessions/${id}`)).body), { timeout: 15_000 })
      .toContain('idle')
    expect(JSON.stringify(await completed(id, 'pay'))).toContain('true 5')
  }
  const lines = readFileSync(join(world.folder, 'ledger.txt'), 'utf8').trim().split('\n')
  expect(lines.filter((line) => line.startsWith('pay')).toSorted()).toEqual(['pay p1', 'pay p2', 'pay p3'])
  // Code outside of steps runs each time, and sees the same number from its step.
  expect(new Set(lines.filter((line) => line.startsWith('order'))).size).toBe(3)
})
