import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '@bridle/kernel/ports/runner'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { McpRunName } from '../mcp/handler.ts'
import { requestCounts } from '../mcp/request-counts.ts'
import { urlServers } from '../mcp/url-server.ts'
import type { RunEnvVars } from '../protocol/protocol.ts'
import { sessionFolder } from '../sandboxes/folders/session-paths.ts'
import { ProviderCredentials } from './provider-credentials.ts'

let data: string
let provider: ReturnType<typeof createServer>
let env: NodeJS.ProcessEnv
let asked: number
let duringAnswer: () => void

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'bridle-keys-'))
  asked = 0
  duringAnswer = () => {}
  provider = createServer((request, response) => {
    request.resume().on('end', () => {
      asked += 1
      duringAnswer()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ usage: { input_tokens: 0, output_tokens: 100_000 } }))
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  env = { ANTHROPIC_API_KEY: 'sk-real', ANTHROPIC_BASE_URL: url }
})
afterEach(() => {
  provider.close()
  rmSync(data, { recursive: true, force: true })
})

const job = (more: Partial<Job> = {}): Job => ({
  ...{ key: { tenant: 't', agent: 'claude', id: 's1' }, runId: 'r-2', attempt: 1, prompt: '', input: null, epoch: 1 },
  ...{ resume: null, parent: null, settings: {}, handle: null, frame: -1, awaiting: [], ...more },
})

/** A process of the server: what a run may ask with, until it is ended. */
const server = () => {
  const keys = new ProviderCredentials({ secret: 'secret', env, sandbox: {}, data })
  const credentials = keys.forEngine({ provider: 'anthropic' }, { max_budget_usd: 1 }, undefined)
  const ask = async (which = job()) => {
    const { ANTHROPIC_API_KEY: token, ANTHROPIC_BASE_URL: base } = await credentials.grant(which)
    const answer = await fetch(`${base}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': String(token), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 1, messages: [] }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  return { ask, keys, revoke: () => credentials.revoke(job()) }
}

describe('[O14] a run’s budget', () => {
  test('is remembered by the next process, also when the last one took its token away', async () => {
    const first = server()
    expect((await first.ask()).status).toBe(200)
    first.revoke()
    await first.keys.close()
    const second = server()
    const { status, text } = await second.ask()
    expect([status, asked]).toEqual([expect.any(Number), 1])
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).toMatch(/budget|spen/i)
    await second.keys.close()
  })

  test('is its own: another attempt, run or branch begins with all of it', async () => {
    const { ask, keys } = server()
    await ask()
    expect((await ask(job({ attempt: 2 }))).status).toBe(200)
    expect((await ask(job({ runId: 'r-9' }))).status).toBe(200)
    // A branch begins with a copy of its parent's folder, and its runs with the same numbers.
    const branch = { ...job().key, id: 'branch' }
    cpSync(sessionFolder(data, job().key), sessionFolder(data, branch), { recursive: true })
    expect((await ask(job({ key: branch, runId: 'r-9' }))).status).toBe(200)
    await keys.close()
  })

  test('leaves nothing behind of a session that was removed while it asked', async () => {
    const { ask, keys } = server()
    const folder = sessionFolder(data, job().key)
    duringAnswer = () => rmSync(folder, { recursive: true })
    expect((await ask()).status).toBe(200)
    await keys.close()
    expect(existsSync(folder)).toBe(false)
  })

  test('a damaged note counts as none, and is not served as one', async () => {
    const first = server()
    await first.ask()
    await first.keys.close()
    const file = join(sessionFolder(data, job().key), 'spent.json')
    expect(readFileSync(file, 'utf8')).not.toContain('sk-real')
    writeFileSync(file, '{"run":')
    const second = server()
    expect((await second.ask()).status).toBe(200)
    await second.keys.close()
  })

  test('[O27] a request under way when the process dies counts with its worst case', async () => {
    const first = server()
    let noted = ''
    const copy = mkdtempSync(join(tmpdir(), 'bridle-keys-'))
    // The folder as a process that is killed in the middle of an answer leaves it.
    duringAnswer = () => {
      noted = readFileSync(join(sessionFolder(data, job().key), 'spent.json'), 'utf8')
      cpSync(data, copy, { recursive: true })
    }
    await first.ask(job({ settings: { max_budget_usd: 0.000_1 } }))
    await first.keys.close()
    expect(JSON.parse(noted)).toMatchObject({ usd: 0, reservedUsd: expect.any(Number) })
    expect(JSON.parse(noted).reservedUsd).toBeGreaterThan(0.000_1)
    rmSync(data, { recursive: true })
    cpSync(copy, data, { recursive: true })
    rmSync(copy, { recursive: true })
    const second = server()
    expect((await second.ask(job({ settings: { max_budget_usd: 0.000_1 } }))).status).toBe(402)
    expect(asked).toBe(1)
    await second.keys.close()
  })

  test('is the smallest of what operator, session and caller say', async () => {
    const { ask, keys } = server()
    const small = job({ settings: { max_budget_usd: 0.9 }, input: { prompt: '', max_budget_usd: 0 } })
    expect((await ask(small)).status).toBe(402)
    expect(asked).toBe(0)
    await keys.close()
  })
})

describe('MCP servers of a run', () => {
  const servers = { docs: { url: 'http://127.0.0.1:1/mcp', requests: 1 } }
  const grantOf = (sandbox: { url?: string; proxyUrl?: string }, which = job()) => {
    const keys = new ProviderCredentials({ secret: 'secret', env, sandbox, data })
    const handlers = (run: McpRunName) => urlServers(servers, requestCounts(data, run))
    const credentials = keys.forEngine({ provider: 'anthropic' }, {}, undefined, handlers)
    return { keys, credentials, vars: credentials.grant(which) }
  }
  const ask = async ({ BRIDLE_MCP_URL: url, BRIDLE_MCP_TOKEN: token }: RunEnvVars) => {
    const headers = { authorization: `Bearer ${token}` }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const answer = await fetch(`${url}/mcp/docs`, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  }

  test('[R39] [O150] have a token of their own, with a key for the model and without, which ends with the run', async () => {
    const { keys, credentials, vars } = grantOf({})
    const { ANTHROPIC_API_KEY: modelToken, BRIDLE_MCP_TOKEN: token } = await vars
    expect(modelToken).not.toBe(token)
    // Neither token passes for the other.
    const asModel = await fetch(`${(await vars).ANTHROPIC_BASE_URL}/v1/models`, {
      headers: { 'x-api-key': String(token) },
    })
    expect(asModel.status).toBe(401)
    expect((await ask({ ...(await vars), BRIDLE_MCP_TOKEN: String(modelToken) })).status).toBe(403)
    expect((await ask(await vars)).text).toMatch(/ECONNREFUSED/)
    credentials.revoke(job())
    await expect.poll(async () => (await ask(await vars)).status).toBe(403)
    await keys.close()
    delete env.ANTHROPIC_API_KEY
    const without = grantOf({})
    expect(Object.keys(await without.vars)).toEqual(['BRIDLE_MCP_URL', 'BRIDLE_MCP_TOKEN'])
    await without.keys.close()
  })

  test('[EN47] [O152] the requests of a run are counted across restarts, and those of another run anew', async () => {
    const first = grantOf({})
    expect((await ask(await first.vars)).text).toMatch(/ECONNREFUSED/)
    await first.keys.close()
    const second = grantOf({})
    expect((await ask(await second.vars)).text).toMatch(/limit of 1 requests/)
    await second.keys.close()
    const other = grantOf({}, job({ runId: 'r-9' }))
    expect((await ask(await other.vars)).text).toMatch(/ECONNREFUSED/)
    await other.keys.close()
    const file = join(sessionFolder(data, job().key), 'mcp-requests.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ run: expect.any(String), counts: { docs: 1 } })
  })

  test.each<[string, { url?: string; proxyUrl?: string }, string | undefined]>([
    ['of this machine', {}, 'http://127.0.0.1'],
    ['that was started by hand on this machine', { url: 'http://localhost:9' }, 'http://127.0.0.1'],
    ['elsewhere, with an address of the proxy', { url: 'http://runner:9', proxyUrl: 'https://proxy' }, 'https://proxy'],
    ['elsewhere, without one', { url: 'http://runner:9' }, undefined],
  ])('[EN52] are reached from a runner %s', async (_name, sandbox, url) => {
    const { keys, vars } = grantOf(sandbox)
    const { BRIDLE_MCP_URL: granted } = await vars
    expect(granted?.replace(/(127.0.0.1):\d+$/, '$1')).toBe(url)
    await keys.close()
  })
})
