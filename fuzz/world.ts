// A real server with three tenants: one is fuzzed, and the logs of the other two must not change.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HarnessServer, type ServerOptions } from '@bridle/server/node/index'
import { post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { expect } from 'vitest'
import { expectPrototypesUnchanged, fetchWithRetry } from './promises.ts'

export const TOKEN = 'token-of-the-fuzzed'
const watchers = ['bystander-1', 'bystander-2'] as const
const tokenOf = (tenant: string): string => `token-of-${tenant}`

/** Words that mean something to this server, for the generator. */
export const WORDS: readonly string[] = [
  'scripted',
  'hello',
  's1',
  's2',
  's3',
  'bystander',
  'r-1',
  'r-2',
  'm-2',
  'ev-3',
  'ev-3~2',
  '3~',
  '1',
  '7',
  'apr-4',
  '2030-01-01T00:00:00Z',
  '@script [{"text":"a"}]',
  '@script [{"text":"a"},{"approve":"write","args":{"p":1}},{"text":"b"}]',
  '@script [{"checkpoint":"c"},{"fail":"no use"}]',
  '@script [',
]

export class FuzzWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bridle-fuzz-'))
  #server: HarnessServer | null = null
  #before: readonly string[] = []

  get url(): string {
    return this.#server?.url ?? ''
  }

  async start(options: Partial<ServerOptions> = {}): Promise<void> {
    const source = join(this.#folder, 'sources')
    mkdirSync(source, { recursive: true })
    this.#server = await HarnessServer.start({
      port: 0,
      data: join(this.#folder, 'data'),
      agentsRoot: this.#folder,
      workspaces: { sources: [source] },
      tokenPaceMs: 0,
      env: {},
      tokens: [
        { token: TOKEN, tenants: ['fuzzed'] },
        ...watchers.map((tenant) => ({ token: tokenOf(tenant), tenants: [tenant] })),
      ],
      log: () => {},
      ...options,
    })
    if (this.#before.length > 0) return
    for (const id of ['s1', 's2', 's3']) await this.ask(`/agents/scripted/${id}`, TOKEN, scriptBody({ text: 'hello' }))
    const own = [scriptBody({ text: 'mine' }), scriptBody({ text: 'wait' }, { approve: 'write' })]
    for (const tenant of watchers)
      for (const [index, body] of own.entries())
        await this.ask(`/agents/scripted/${index === 0 ? 's1' : 'bystander'}`, tokenOf(tenant), body)
    await this.#settled()
    this.#before = await this.#bystanders()
  }

  async ask(path: string, token: string, body: unknown): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, prefer: 'respond-async' }
    expect((await post(`${this.url}${path}`, body, headers)).status).toBe(202)
  }

  /** Checks that the server lives, its prototypes are clean, and the logs of the other tenants are unchanged. */
  async check(): Promise<void> {
    expectPrototypesUnchanged()
    const health = await fetchWithRetry(`${this.url}/health`, {})
    expect([health.status, await health.json()]).toEqual([200, { ok: true }])
    expect(await this.#bystanders()).toEqual(this.#before)
  }

  /** Opens the folder with another process: each session is there, and begins with the events that were sent before. */
  async reopen(most = 100): Promise<void> {
    const sessions = await this.#sessions(most)
    const told = new Map<string, string[]>()
    for (const path of sessions) told.set(path, await this.#events(path, TOKEN))
    await this.#server?.close()
    await this.start()
    for (const [path, events] of told) {
      const now = await this.#events(path, TOKEN)
      expect([path, now.slice(0, events.length)]).toEqual([path, events])
    }
    await this.check()
  }

  async end(): Promise<void> {
    await this.#server?.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #settled(): Promise<void> {
    for (const tenant of watchers)
      for (const [id, status] of [
        ['s1', 'idle'],
        ['bystander', 'awaiting_approval'],
      ])
        for (;;) {
          const response = await this.#get(`/sessions/${id}`, tokenOf(tenant))
          if (((await response.json()) as { status: string }).status === status) break
        }
  }

  async #bystanders(): Promise<string[]> {
    const logs: string[] = []
    for (const tenant of watchers)
      for (const id of ['s1', 'bystander'])
        logs.push(...(await this.#events(`/agents/scripted/${id}`, tokenOf(tenant))))
    return logs
  }

  async #sessions(most: number): Promise<string[]> {
    const response = await this.#get(`/sessions?limit=${most}`, TOKEN)
    expect(response.status).toBe(200)
    const { sessions } = (await response.json()) as { sessions: { id: string; agent: string }[] }
    return sessions.map(({ id, agent }) => `/agents/${agent}/${encodeURIComponent(id)}`)
  }

  async #events(path: string, token: string): Promise<string[]> {
    const response = await this.#get(`${path}?limit=2000`, token)
    expect([path, response.status]).toEqual([path, 200])
    const { events } = (await response.json()) as { events: unknown[] }
    return events.map((event) => JSON.stringify(event))
  }

  #get(path: string, token: string): Promise<Response> {
    return fetchWithRetry(`${this.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  }
}
