// An app on a memory store with the scripted agent, asked without sockets.
import { createHash } from 'node:crypto'
import { nativeIdentity } from '@bridle/agents/in-process/engine-identities'
import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import { type AgentInfo, acceptPrompt } from '@bridle/kernel/agent-info'
import { Host } from '@bridle/kernel/host/host'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Runner } from '@bridle/kernel/ports/runner'
import { StoredUploads } from '@bridle/stores/uploads/stored-uploads'
import { memoryUploadFolder } from '@bridle/stores/uploads/upload-folder'
import { httpWires } from '../all.ts'
import { type App, type AppOptions, createApp, routeTable } from '../app.ts'
import { ChangeFeed } from '../changes/change-feed.ts'
import { engineOf } from './access/agent-engine.ts'
import { expectDeclaredAnswer } from './answers/declared-answers.suite.ts'

const rows = routeTable(httpWires)

export interface TestReply {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

/** A runner under test; with `isProcedure` its agent is one that `sop()` made. */
export type TestRunner = Runner & { readonly isProcedure?: boolean }

/** `runners` are further agents by name, each with its runner. */
export const testApp = (
  options: Partial<AppOptions> = {},
  runners: { readonly [name: string]: TestRunner } = {},
  { log, directory }: Pick<ReturnType<typeof memoryStore>, 'log' | 'directory'> = memoryStore(),
) => {
  let now = 1_700_000_000_000
  const clock: Clock = {
    now: () => now,
    after: (ms, call) => {
      const timer = setTimeout(call, ms)
      return () => clearTimeout(timer)
    },
  }
  const digest = async (text: string) => createHash('sha256').update(text).digest('hex')
  const runner = scriptedRunner({ clock, digest })
  // Other agents play scripts too, in the name of a function.
  const native = { ...runner, identity: nativeIdentity }
  const listed = new Map(
    [
      ...agents,
      ...Object.entries(runners).map(([name, { isProcedure = false }]) => ({ ...agent(name, true), isProcedure })),
    ].map((each) => [each.name, each]),
  )
  const changes = new ChangeFeed({ clock, identityOf: (name) => engineOf(listed, name) })
  const host = new Host({
    rows: changes,
    log,
    directory,
    clock,
    digest,
    tokenPaceMs: 0,
    runner: (name) => runners[name] ?? (name === 'missing' ? null : name === 'scripted' ? runner : native),
  })
  const uploads = new StoredUploads(memoryUploadFolder(), clock.now)
  const served = createApp(
    {
      host,
      directory,
      clock,
      exposeAll: true,
      uploads,
      defaultAgent: 'scripted',
      changes,
      agents: listed,
      ...options,
    },
    httpWires,
  )
  const app: App = {
    ...served,
    fetch: async (request, env) => {
      const answer = await served.fetch(request, env)
      await expectDeclaredAnswer(rows, request, answer)
      return answer
    },
  }
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestReply> => {
    const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await app.fetch(new Request(`http://127.0.0.1${path}`, { method, headers, ...init }))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: isJson ? JSON.parse(text) : { text }, headers: response.headers }
  }
  return {
    app,
    host,
    changes,
    ask,
    get: (path: string, headers?: Record<string, string>) => ask('GET', path, undefined, headers),
    post: (path: string, body: unknown = {}, headers?: Record<string, string>) => ask('POST', path, body, headers),
    advance: (ms: number) => {
      now += ms
    },
  }
}

const agent = (name: string, webhook: boolean, needs: string | null = null): AgentInfo => ({
  name,
  engine: name === 'scripted' ? name : 'native',
  runnerKind: 'in_process',
  description: name,
  webhook,
  needs,
  accept: acceptPrompt,
})

const agents = [agent('scripted', false), agent('hooked', true), agent('keyless', false, 'Set SOME_KEY.')]
