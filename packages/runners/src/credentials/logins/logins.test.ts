import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '@bridle/kernel/ports/runner'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ProviderCredentials } from '../provider-credentials.ts'
import type { ProviderName } from '../providers.ts'
import { findCredential } from '../server-credential.ts'

const TOKEN = 'sk-ant-oat01-of-ann'
const NOW = Date.UTC(2026, 10, 17)
const jwt = (expMs: number) => `h.${Buffer.from(JSON.stringify({ exp: expMs / 1000 })).toString('base64url')}.s`

let folder: string
let seen: { url: string; headers: IncomingHttpHeaders }[]
let status: number
let vendor: ReturnType<typeof createServer>
let vendorUrl: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-logins-'))
  mkdirSync(join(folder, '.codex'))
  seen = []
  status = 200
  vendor = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers })
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ usage: { input_tokens: 1, output_tokens: 1 }, echo: request.headers.authorization }),
      )
    })
  })
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  vendorUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
})
afterEach(() => {
  vendor.close()
  rmSync(folder, { recursive: true, force: true })
})

const writeAuth = (content: unknown, place = join(folder, '.codex')) =>
  writeFileSync(join(place, 'auth.json'), typeof content === 'string' ? content : JSON.stringify(content))
const login = (expMs: number) => ({ tokens: { access_token: jwt(expMs), refresh_token: 'r', account_id: 'acct-1' } })
const found = (provider: ProviderName, env: NodeJS.ProcessEnv, loginRefusal: string | null = null) =>
  findCredential(provider, { env: { HOME: folder, ...env }, loginRefusal, nowMs: NOW })

describe('[O72] the credential of a server', () => {
  test('is the key, else the login of its user', () => {
    expect(found('anthropic', { CLAUDE_CODE_OAUTH_TOKEN: TOKEN })).toMatchObject({ name: 'CLAUDE_CODE_OAUTH_TOKEN' })
    expect(found('anthropic', { CLAUDE_CODE_OAUTH_TOKEN: TOKEN, ANTHROPIC_API_KEY: 'k' })).toEqual({
      name: 'ANTHROPIC_API_KEY',
      key: 'k',
    })
    writeAuth(login(NOW + 60_000))
    expect(found('openai', {})).toMatchObject({ name: 'the auth.json of Codex' })
    expect(found('openai', { OPENAI_API_KEY: 'k' })).toMatchObject({ key: 'k' })
    // CODEX_HOME is another place.
    expect(found('openai', { CODEX_HOME: join(folder, 'elsewhere') })).toHaveProperty('missing')
  })

  test('says what to do where there is none', () => {
    expect(found('anthropic', {})).toEqual({
      missing:
        'Set ANTHROPIC_API_KEY where the server is started, or use your own login: run claude setup-token and set CLAUDE_CODE_OAUTH_TOKEN.',
    })
    expect(found('openai', {})).toEqual({
      missing: 'Set OPENAI_API_KEY where the server is started, or use your own login: run codex login.',
    })
  })

  test('is no login that has expired, and none of a file that has another shape', () => {
    writeAuth(login(NOW - 1_000))
    expect(found('openai', {})).toEqual({ missing: 'The login of Codex has expired. Run codex login.' })
    writeAuth({ tokens: { access_token: jwt(NOW + 60_000), account_id: 'a\r\nx: y' } })
    expect(found('openai', {})).toEqual({ missing: 'The auth.json of Codex names no account. Run codex login.' })
    for (const content of [
      '',
      '{',
      '[]',
      '{"tokens":null}',
      '{"OPENAI_API_KEY":"k"}',
      '{"tokens":{"access_token":5}}',
    ]) {
      writeAuth(content)
      expect([content, found('openai', {})]).toEqual([content, { missing: expect.stringContaining('OPENAI_API_KEY') }])
    }
  })

  test('is no login where others reach the server, and says so', () => {
    const refusal = 'This server does not use a personal login, since others reach it: it listens on 0.0.0.0.'
    expect(found('anthropic', { CLAUDE_CODE_OAUTH_TOKEN: TOKEN }, refusal)).toEqual({
      missing: `Set ANTHROPIC_API_KEY where the server is started. ${refusal}`,
    })
    expect(found('anthropic', { ANTHROPIC_API_KEY: 'k' }, refusal)).toMatchObject({ key: 'k' })
    expect(found('anthropic', {}, refusal)).toEqual({ missing: 'Set ANTHROPIC_API_KEY where the server is started.' })
  })
})

describe('[O73] the proxy adds the login', () => {
  const job = (agent: string): Job => ({
    ...{ key: { tenant: 't', agent, id: 's1' }, runId: 'r-2', attempt: 1, prompt: '', input: null, epoch: 1 },
    ...{ resume: null, parent: null, settings: {}, handle: null, frame: -1, awaiting: [] },
  })
  const asking = async (provider: ProviderName, env: NodeJS.ProcessEnv, path: string) => {
    const keys = new ProviderCredentials({ secret: 's', env: { HOME: folder, ...env }, sandbox: {}, data: folder })
    const granted = await keys.forEngine({ provider }, {}, undefined).grant(job(provider))
    const [token = '', base = ''] = Object.values(granted)
    const answer = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...{ 'anthropic-beta': 'claude-code-20250219,context-management-2025-06-27', 'chatgpt-account-id': 'forged' },
      },
      body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 1, messages: [] }),
    })
    const text = await answer.text()
    await keys.close()
    return { granted, status: answer.status, text }
  }

  test('of Claude Code, with the beta that goes with it', async () => {
    const env = { CLAUDE_CODE_OAUTH_TOKEN: TOKEN, ANTHROPIC_BASE_URL: vendorUrl }
    const { granted, status } = await asking('anthropic', env, '/v1/messages?beta=true')
    expect(status).toBe(200)
    expect(JSON.stringify(granted)).not.toContain(TOKEN)
    const [{ url, headers } = { url: '', headers: {} as IncomingHttpHeaders }] = seen
    expect([url, headers.authorization, headers['x-api-key'], headers['anthropic-beta']]).toEqual([
      '/v1/messages?beta=true',
      `Bearer ${TOKEN}`,
      undefined,
      'claude-code-20250219,context-management-2025-06-27,oauth-2025-04-20',
    ])
  })

  test('of Codex, at the address for logins', async () => {
    const token = jwt(Date.now() + 60_000)
    writeAuth({ tokens: { access_token: token, account_id: 'acct-1' } })
    const env = { CHATGPT_BASE_URL: `${vendorUrl}/backend-api/codex`, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    const { status } = await asking('openai', env, '/responses')
    expect(status).toBe(200)
    expect(seen.map(({ url, headers }) => [url, headers.authorization, headers['chatgpt-account-id']])).toEqual([
      ['/backend-api/codex/responses', `Bearer ${token}`, 'acct-1'],
    ])
  })

  test('and says what to do when the vendor refuses it; what comes back has no login', async () => {
    const env = { CLAUDE_CODE_OAUTH_TOKEN: TOKEN, ANTHROPIC_BASE_URL: vendorUrl }
    status = 401
    const refused = await asking('anthropic', env, '/v1/messages')
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Run claude setup-token')])
    status = 429
    const limited = await asking('anthropic', env, '/v1/messages')
    expect([limited.status, limited.text.includes(TOKEN)]).toEqual([429, false])
  })
})
