// Three expenses at a time, across restarts of the server.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AskedRun, fabricClient } from 'bridle/client'
import { createHarness, type EmbeddedHarness } from 'bridle/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import expense from './agents/expense.ts'

const data = mkdtempSync(join(tmpdir(), 'bridle-workflow-'))
const start = () => createHarness({ agents: [expense], data, token: 't', env: {}, log: () => {} })
let harness: EmbeddedHarness
beforeAll(async () => {
  harness = await start()
})
afterAll(async () => {
  await harness.close()
  rmSync(data, { recursive: true, force: true })
})
const fabric = fabricClient({
  url: 'http://desk',
  authToken: 't',
  fetch: (url, init) => harness.fetch(new Request(url, init)),
})
const restart = async () => {
  await harness.close()
  harness = await start()
}
const claim = (id: string, euros: number): AskedRun =>
  fabric.ask('expense', id, { employee: 'Ada', purpose: 'a train to Vienna', euros })
const until = async (run: AskedRun, type: string): Promise<string> => {
  for await (const event of run)
    if (event.type === type) return event.type === 'approval_requested' ? event.data.approvalId : ''
  return ''
}

test('approval with another sum, a signal, and restarts in between: paid once, and once only', async () => {
  const ids = ['trip', 'hotel', 'taxi']
  const runs = ids.map((id, index) => claim(id, 100 + index))
  const approvals = await Promise.all(runs.map((run) => until(run, 'approval_requested')))
  const before = (await fabric.session('trip')).messages.at(-1)?.content
  await restart()
  await fabric.approve('trip', approvals[0] ?? '', { args: { number: 'AD-1', euros: 80 } })
  await fabric.reject('hotel', approvals[1] ?? '', { reason: 'Too dear.' })
  await fabric.approve('taxi', approvals[2] ?? '')
  const follow = (index: number) => fabric.run(ids[index] ?? '', runIds[index] ?? '')
  const runIds = (await Promise.all(runs.map((run) => run.accepted))).map(({ runId }) => runId)
  await expect.poll(async () => (await follow(1)).status, { timeout: 30_000 }).toBe('completed')
  expect((await follow(1)).result).toEqual({ status: 'declined', reason: 'Too dear.' })
  await expect
    .poll(async () => (await fabric.session('trip')).messages.at(-1)?.content, { timeout: 30_000 })
    .toContain('of 80 euros is on its way')
  await restart()
  await Promise.all(['trip', 'taxi'].map((id) => fabric.signal(id, 'transferred', { arrived: 'Friday' })))
  for (const index of [0, 2])
    await expect.poll(async () => (await follow(index)).status, { timeout: 30_000 }).toBe('completed')
  expect((await follow(0)).result).toMatchObject({ status: 'paid', euros: 80, transfer: expect.stringMatching(/-80$/) })
  expect((await follow(2)).result).toMatchObject({ status: 'paid', euros: 102 })
  // The step ran once: the number of the claim is the one of before.
  const after = (await fabric.session('trip')).messages.at(-1)?.content ?? ''
  expect(after.split('\n')[0]).toBe(before?.split('\n')[0])
  expect(after.match(/is on its way/g)).toHaveLength(1)
})

test('a rule declines without asking, and a claim without a sum is refused', async () => {
  expect((await claim('car', 9_000).result).result).toMatchObject({ status: 'declined' })
  await expect(fabric.invoke('expense', 'bad', { employee: 'Ada' })).rejects.toMatchObject({ status: 400 })
})

test('the README shows requests that work', async () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
  const [input, edited, signal] = [...readme.matchAll(/ -d '(\{.*)'/g)].map(([, body = '']) => JSON.parse(body))
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  const run = fabric.ask('expense', 'readme', input)
  const approval = await until(run, 'approval_requested')
  await fabric.approve('readme', approval, edited)
  await fabric.signal('readme', signal.name, signal.payload)
  const { runId, result } = await run.result
  expect(readme).toContain(`/runs/${runId}`)
  expect(result).toEqual({ ...shown, transfer: expect.stringMatching(/-100$/) })
})
