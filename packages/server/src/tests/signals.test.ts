// Signals for durable functions, through every wire of a real server, which is killed and stopped while they wait.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fabricClient, HarnessClient } from '@bridle/client/index'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fromSource } from '../../../../scripts/module-snapshot.ts'
import { ServerProcess } from './server-process.suite.ts'
import { openTestSocket } from './socket-client.suite.ts'

const main = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))
const bridle = fileURLToPath(new URL('../../../bridle/src/index.ts', import.meta.url))

/** Waits for an order to be paid and shipped, in this order. Each effect is written to a ledger, so that a second one would show. */
const orders = (ledger: string) => `
import { appendFileSync } from 'node:fs'
import { agent } from ${JSON.stringify(bridle)}

export default agent({
  name: 'orders',
  run: async ({ input, session }) => {
    const id = await session.step('book', () => {
      appendFileSync(${JSON.stringify(ledger)}, \`booked \${session.id}\\n\`)
      return input.prompt
    })
    await session.text(\`Order \${id}. \`)
    const paid = await session.waitFor('paid')
    await session.text('Paid. ')
    const shipped = await session.waitFor('shipped')
    return { id, paid, shipped }
  },
})
`

/** Works until the test lets it go on, and only then waits: signals come before it does. */
const late = (gate: string) => `
import { existsSync } from 'node:fs'
import { agent } from ${JSON.stringify(bridle)}

export default agent({
  name: 'late',
  run: async ({ session }) => {
    while (!existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 10))
    return [await session.waitFor('a'), await session.waitFor('b'), await session.waitFor('a')]
  },
})
`

let folder: string
let server: ServerProcess
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-signals-'))
  mkdirSync(join(folder, 'agents'))
  writeFileSync(join(folder, 'agents', 'orders.ts'), orders(join(folder, 'ledger')))
  writeFileSync(join(folder, 'agents', 'late.ts'), late(join(folder, 'gate')))
  server = new ServerProcess(join(folder, 'data'), { cwd: folder })
  await server.boot()
})
afterEach(async () => {
  await server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const begin = async (agent: string, id: string) => {
  const answer = await post(`${server.url}/agents/${agent}/${id}`, { prompt: id }, { prefer: 'respond-async' })
  expect(answer.status).toBe(202)
}
const signal = async (id: string, name: string, payload: unknown) =>
  (await post(`${server.url}/sessions/${id}/signal`, { name, payload })).status
const outcome = (id: string, result: unknown) =>
  vi.waitFor(async () => {
    const { body } = await get(`${server.url}/sessions/${id}/runs/r-2`)
    expect(body).toMatchObject({ status: 'completed', result })
  }, 20_000)
const text = (id: string, content: string) =>
  vi.waitFor(async () => {
    const { body } = await get(`${server.url}/sessions/${id}`)
    expect((body.messages as { content: string }[]).at(-1)?.content).toBe(content)
  }, 20_000)

test('[H58] [T26] [W27] [C28] [S45] signals reach their functions through every wire, over kill -9 and a stop, in any order', async () => {
  for (const id of ['one', 'two', 'three']) await begin('orders', id)
  for (const id of ['one', 'two', 'three']) await text(id, `Order ${id}. `)
  await begin('late', 'four')

  // HTTP, out of order: the function gets it when it asks for it.
  expect(await signal('one', 'shipped', { by: 'http' })).toBe(200)
  await server.kill('SIGKILL')
  await server.boot()

  const socket = await openTestSocket(`${server.url}/sessions/two/ws`)
  socket.say({ type: 'signal', name: 'paid', payload: 'fabric', commandId: 'c-1' })
  socket.say({ type: 'signal', name: 'paid', payload: 'fabric', commandId: 'c-1' })
  const acks = (await socket.until((all) => all.filter(({ type }) => type === 'ack').length === 2)).filter(
    ({ type }) => type === 'ack',
  )
  expect(acks).toMatchObject([
    { ok: true, for: 'signal', commandId: 'c-1' },
    { ok: true, for: 'signal', commandId: 'c-1' },
  ])
  socket.ws.terminate()
  await text('two', 'Order two. Paid. ')
  await server.kill('SIGTERM')
  await server.boot()

  const client = new HarnessClient({ url: `${server.url.replace('http', 'ws')}/ws?sessionId=three` })
  await vi.waitFor(() => expect(client.connection.phase).toBe('open'), 20_000)
  expect(await client.signal('paid', ['transport'])).toMatchObject({ runId: 'r-2' })
  expect(await client.signal('shipped')).toMatchObject({ runId: 'r-2' })
  client.close()
  await outcome('three', { id: 'three', paid: ['transport'], shipped: null })

  const fabric = fabricClient({ url: server.url })
  expect(await fabric.signal('one', 'paid', 1.5, { idempotencyKey: 'k' })).toMatchObject({ runId: 'r-2' })
  expect(await fabric.signal('one', 'paid', 1.5, { idempotencyKey: 'k' })).toMatchObject({ runId: 'r-2' })
  await outcome('one', { id: 'one', paid: 1.5, shipped: { by: 'http' } })
  const args = ['signal', 'two', 'shipped', '{"by":"cli"}', '--url', server.url, '--actor', 'me']
  const command = await promisify(execFile)(process.execPath, [...fromSource, main, ...args])
  expect(JSON.parse(command.stdout)).toEqual({ sessionId: 'two', runId: 'r-2', name: 'shipped' })
  await outcome('two', { id: 'two', paid: 'fabric', shipped: { by: 'cli' } })
  await text('two', 'Order two. Paid. ')

  // Before the function waits: all three are kept, also over a kill, and those of one name stay in order.
  for (const [name, payload] of [
    ['b', 2],
    ['a', 1],
    ['a', 3],
  ] as const)
    expect(await signal('four', name, payload)).toBe(200)
  await server.kill('SIGKILL')
  await server.boot()
  writeFileSync(join(folder, 'gate'), '')
  await outcome('four', [1, 2, 3])

  expect(await signal('one', 'paid', null)).toBe(409)
  expect(readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n').sort()).toEqual([
    'booked one',
    'booked three',
    'booked two',
  ])
})
