// The reference servers of the protocol, as npm has them: over their input and output, and over streamable HTTP.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { keyOf, LoopWorld } from '@bridle/agents/loop/loop.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchPinned } from '../../../scripts/pinned-tools.ts'
import { mcp } from './mcp.ts'
import { ask, callerAgent, lastOutcome } from './mcp-world.suite.ts'
import type { McpOptions } from './server.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-reference-')))
let tools = ''
let served: { readonly url: string; readonly process: ChildProcess } | null = null

beforeAll(async () => {
  const fetched = fetchPinned('matrix/mcp', 'mcp-servers')
  if ('missing' in fetched) throw new Error(fetched.missing)
  tools = fetched.folder
  writeFileSync(join(folder, 'note.txt'), 'Remember the milk.')
  served = await serveEverything()
})
afterAll(() => {
  served?.process.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const main = (server: string) => join(tools, 'node_modules/@modelcontextprotocol', server, 'dist/index.js')

/** The server listens on every interface, so that its `listen` is replaced by one on the loopback, which says its port. */
const LOOPBACK = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (_port, then) {
    return listen.call(this, { port: 0, host: '127.0.0.1' }, () => { console.log('port ' + this.address().port); then?.() })
  }`)}`

const serveEverything = async () => {
  const args = ['--import', LOOPBACK, main('server-everything'), 'streamableHttp']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('port ')) return { url: `http://127.0.0.1:${line.slice(5)}/mcp`, process: child }
  }
  throw new Error('The reference server did not start.')
}

const everything = (transport: string, options: McpOptions = {}) =>
  mcp(
    transport === 'stdio'
      ? { name: 'every', command: process.execPath, args: [main('server-everything'), 'stdio'] }
      : { name: 'every', url: served?.url ?? '' },
    options,
  )

describe.each(['stdio', 'streamable HTTP'])('server-everything over %s', (transport) => {
  test('[N133] [N136] [N142] texts, sums, data, images and links, in three sessions of two agents', async () => {
    const source = everything(transport, { trusted: true, idleMs: 0 })
    const it = new LoopWorld({ tested: callerAgent([source]), other: callerAgent([source], 'other') })
    const keys = [keyOf('a'), keyOf('b'), keyOf('c', 'other')]
    const echoes = await Promise.all(keys.map((key) => ask(it, `every_echo {"message":"${key.id}"}`, key)))
    expect(echoes).toEqual(['Echo: a', 'Echo: b', 'Echo: c'])
    expect(await ask(it, 'every_get-sum {"a":20,"b":22}', keys[0])).toContain('42')
    expect(await ask(it, 'every_get-structured-content {"location":"Chicago"}', keys[1])).toMatchObject({
      temperature: expect.any(Number),
    })
    expect(await ask(it, 'every_get-tiny-image', keys[2])).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: 'image', mime_type: 'image/png' })]),
    })
    expect(await ask(it, 'every_get-resource-links {"count":2}', keys[0])).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: 'resource_link' })]),
    })
    await ask(it, 'every_get-sum {"a":"twenty","b":22}', keys[1])
    expect(await lastOutcome(it, keys[1])).toMatchObject({ status: 'error', reason: 'arguments_invalid' })
    // The server offers these to clients that can ask a model.
    const offered = new Set((await it.payloads('turn_start_tools', keys[0])).flatMap(({ tools: names }) => names))
    expect([...offered].filter((name) => name.includes('sampling'))).toEqual([])
  })

  test('[N255] a form and a link in three sessions, answered in another order', async () => {
    const it = new LoopWorld(callerAgent([everything(transport, { isolated: transport === 'stdio', idleMs: 0 })]))
    const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
    const open = async (key: ReturnType<typeof keyOf>) =>
      Object.values((await it.host.open(key)).state.approvals.open)[0]
    const answer = async (key: ReturnType<typeof keyOf>, given: object) => {
      await expect.poll(() => open(key), { timeout: 20_000 }).toMatchObject({ kind: 'question' })
      await it.send({ type: 'approve', approvalId: String((await open(key))?.id), decision: 'approved', ...given }, key)
    }
    const results = keys.map((key) => ask(it, 'every_trigger-elicitation-request', key))
    for (const key of keys.toReversed()) await answer(key, { values: { name: key.id, integer: 7 } })
    for (const [index, result] of (await Promise.all(results)).entries())
      expect(JSON.stringify(result)).toContain(`- Name: ${keys[index]?.id}`)
    // The server refuses the call at first, until another link was opened, and then asks for its own.
    const link = ask(it, 'every_trigger-url-elicitation {"url":"https://example.com/in","errorPath":true}', keys[0])
    for (const url of ['https://modelcontextprotocol.io', 'https://example.com/in']) {
      await expect
        .poll(async () => JSON.stringify((await open(keys[0]!))?.questions), { timeout: 20_000 })
        .toContain(url)
      await answer(keys[0]!, { answers: { q1: 'Continue' } })
    }
    expect(JSON.stringify(await link)).toMatch(/accept/i)
  })

  test('[N140] a long operation ends at its deadline, and the server answers the next call', async () => {
    const it = new LoopWorld(callerAgent([everything(transport, { timeoutMs: 1_000, idleMs: 0 })]))
    await it.submit('every_trigger-long-running-operation {"duration":60,"steps":2}')
    await expect.poll(async () => (await it.payloads('tool_call')).length, { timeout: 20_000 }).toBe(1)
    await it.clock.pass(1_001)
    await expect.poll(async () => (await lastOutcome(it)).status, { timeout: 20_000 }).toBe('timeout')
    expect(await ask(it, 'every_echo {"message":"still here"}', keyOf('b'))).toBe('Echo: still here')
  })
})

test('[N135] [N136] server-filesystem reads its folder and nothing else', async () => {
  const server = { name: 'files', command: process.execPath, args: [main('server-filesystem'), folder] }
  const source = mcp(server, { trusted: true, idleMs: 0, include: ['read_*', 'list_*', 'write_file'] })
  const it = new LoopWorld(callerAgent([source]))
  const note = JSON.stringify({ path: join(folder, 'note.txt') })
  expect(JSON.stringify(await ask(it, `files_read_text_file ${note}`))).toContain('Remember the milk.')
  await ask(it, `files_read_text_file ${JSON.stringify({ path: '/etc/passwd' })}`, keyOf('b'))
  expect(await lastOutcome(it, keyOf('b'))).toMatchObject({ status: 'error', reason: 'mcp_tool_failed' })
  const effects = await it.payloads('tool_call')
  expect(effects.map(({ effect }) => effect)).toEqual(['pure'])
})
