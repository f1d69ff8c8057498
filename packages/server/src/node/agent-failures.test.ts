// Errors that code of an agent throws: the operator gets the stack, once; the caller and the log of the session get the message.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/index'
import { tool } from '@bridle/agents/tools/tool'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, expect, test } from 'vitest'
import { HarnessServer, type RunUpdate, type ServerOptions } from './index.ts'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const failInStep = () => {
  throw new TypeError('no such city')
}
const agents = [
  agent({ name: 'plain', durable: false, run: () => failInStep() }),
  agent({ name: 'steps', run: ({ session }) => session.step('look', failInStep) }),
  agent({
    name: 'model',
    instructions: 'x',
    model: scriptedModel([{ calls: [{ tool: 'weather', input: {} }] }, 'It did not work.']),
    tools: [tool({ name: 'weather', description: 'x', effect: 'pure', run: failInStep })],
  }),
]

const serve = async (options: ServerOptions = {}) => {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const data = mkdtempSync(join(tmpdir(), 'bridle-failures-'))
  const server = await HarnessServer.start({
    ...{ port: 0, data, store: 'memory', agents, agentsRoot: data, cockpit: false },
    log: (level, message, fields = {}) => message !== 'request' && lines.push({ level, message, fields }),
    ...options,
  })
  closing.push(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })
  return { url: server.url, lines }
}

test('[C123] the log has an error once, at level error, with its stack; callers have the message', async () => {
  const { url, lines } = await serve()
  const answers = await Promise.all(
    ['plain', 'steps', 'model'].map((name) => post(`${url}/agents/${name}/s-${name}`, { prompt: 'hi' })),
  )
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 200])
  const session = await get(`${url}/sessions/s-steps?agent=steps`)
  for (const { body } of [...answers, session]) expect(JSON.stringify(body)).not.toContain('agent-failures')
  expect(
    lines.map(({ level, message, fields: { stack: _stack, run: _run, ...fields } }) => [level, message, fields]),
  ).toEqual(
    expect.arrayContaining([
      ['error', 'the agent threw', { session: expect.stringContaining('s-plain'), attempt: 1, error: 'no such city' }],
      ['error', 'the agent threw', { session: expect.stringContaining('s-steps'), attempt: 1, error: 'no such city' }],
      [
        'warn',
        'a tool threw',
        { session: expect.stringContaining('s-model'), attempt: 1, error: 'no such city', tool: 'weather' },
      ],
    ]),
  )
  expect(lines).toHaveLength(3)
  for (const { fields } of lines) expect(fields.stack).toContain('TypeError: no such city')
})

test('[C123] a run that is cancelled, and input that does not fit, are no errors of the agent', async () => {
  const waits = agent({
    name: 'waits',
    durable: false,
    run: ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('late')))),
  })
  const { url, lines } = await serve({ agents: [waits] })
  const run = post(`${url}/agents/waits/w`, { prompt: 'hi' })
  await expect.poll(async () => (await get(`${url}/sessions/w`)).body.status).toBe('running')
  await post(`${url}/sessions/w/cancel`, {})
  await run
  expect(lines).toEqual([])
})

test('[C121] [C124] onRun has the runs of several sessions, and a queued one says so at once', async () => {
  const updates: RunUpdate[] = []
  const { url } = await serve({ onRun: (update) => updates.push(update), onAgentFailure: () => {} })
  const slow = post(`${url}/agents/scripted/one`, { prompt: '@script [{"approve":"go","args":{}}]' })
  await expect.poll(() => updates.map(({ type }) => type)).toEqual(['approval'])
  const queued = post(`${url}/agents/scripted/one`, { prompt: 'second' })
  await post(`${url}/agents/plain/two`, { prompt: 'hi' })
  await expect.poll(() => updates.map(({ type }) => type).sort()).toEqual(['approval', 'end', 'notice'])
  const [approval] = updates
  await post(`${url}/sessions/one/approvals/${approval?.type === 'approval' && approval.approvalId}/approve`, {})
  await Promise.all([slow, queued])
  await expect.poll(() => updates.filter(({ type }) => type === 'end')).toHaveLength(3)
  expect(updates.find(({ type }) => type === 'notice')).toMatchObject({
    key: { id: 'one' },
    message: 'queued behind 1 run',
  })
  expect(
    updates.flatMap((each) => (each.type === 'end' ? [[each.key.agent, each.outcome, each.message]] : [])),
  ).toEqual([
    ['plain', 'failed', 'no such city'],
    ['scripted', 'completed', null],
    ['scripted', 'completed', null],
  ])
})
