// A shared runner: three tenants of one server and a tenant of another, whose sessions and runs all have the same names.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { digest, setUp } from '@bridle/kernel/host/host.suite'
import type { Clock } from '@bridle/kernel/ports/clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PuppetEngine, puppetEngine, steps, text } from '../engines/puppet.suite.ts'
import { withoutIsolation } from '../sandboxes/isolation/engine-start.suite.ts'
import { urlSandbox } from '../sandboxes/url-sandbox.ts'
import { echo } from '../server/runner.suite.ts'
import { SandboxRunner } from '../server/sandbox-runner.ts'
import { remoteRunner } from './remote-runner.ts'

const clock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
const until = async (isSo: () => Promise<boolean> | boolean) => {
  for (let tries = 0; !(await isSo()); tries++) {
    expect(tries).toBeLessThan(1_500)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

let folder: string
let engine: PuppetEngine
let upstream: Awaited<ReturnType<typeof echo>>
let runner: SandboxRunner
let users: User[]

/** A session of one user; all have the same id, so all have the same run ids. */
class User {
  readonly name: string
  readonly key: Key
  readonly #life: ReturnType<typeof setUp>

  constructor(name: string, life: ReturnType<typeof setUp>) {
    this.name = name
    this.key = { tenant: `tenant-${name}`, agent: 'claude', id: 'main' }
    this.#life = life
  }

  send = (command: Parameters<typeof this.host.send>[1]) => this.host.send(this.key, command)
  get host() {
    return this.#life.host
  }
  events = (): Promise<AnyEvent[]> => this.#life.events(this.key)
  async payloads<T>(type: string): Promise<T[]> {
    return (await this.events()).filter((event) => event.type === type).map(({ payload }) => payload as T)
  }
  async ask(prompt: string): Promise<void> {
    const ends = (await this.payloads('turn_end')).length
    await this.send({ type: 'submit', prompt })
    await until(async () => (await this.payloads('turn_end')).length > ends)
  }
  async texts(): Promise<string[]> {
    const session = await this.host.find(this.key)
    return (session?.state.conversation.messages ?? [])
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => content)
  }
}

const serverOf = (isTokened: boolean, secret: string, token: string | null) =>
  setUp(
    {
      runner: () =>
        remoteRunner({
          engine: 'puppet',
          provider: urlSandbox({ url: runner.url, token }),
          clock,
          digest,
          runToken: async ({ key, runId, attempt }) =>
            isTokened ? digest(JSON.stringify([secret, key, runId, attempt])) : null,
          credentials: {
            grant: async ({ key }) => ({ ANTHROPIC_API_KEY: `of ${key.tenant}`, ANTHROPIC_BASE_URL: upstream.url }),
            revoke: () => {},
          },
        }),
      clock,
    },
    undefined,
    clock as never,
  )

/** With which key the run in progress reaches its provider. */
const keyInUse = async (): Promise<string> => {
  const asked = await fetch(`${await engine.baseUrl()}/v1/messages`, { method: 'POST', body: '{"model":"m"}' })
  return ((await asked.json()) as { key: string }).key
}

const setups = [
  ['with tokens of runs and of the runner', true, 'shared'],
  ['with the runner’s token alone', false, 'shared'],
  ['without any token', false, null],
] as const

// A single setup for each change; all of them in the long tests.
describe.each(setups.slice(0, process.env.BRIDLE_VARIANTS === 'all' ? setups.length : 1))(
  '[R18] a shared runner mixes nothing, %s',
  (_name, isTokened, token) => {
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'bridle-shared-'))
      engine = puppetEngine()
      upstream = await echo()
      runner = await SandboxRunner.start({
        engines: [engine],
        workFolder: join(folder, 'w'),
        stateFolder: join(folder, 's'),
        ...withoutIsolation(folder),
        env: { ANTHROPIC_API_KEY: 'own', ANTHROPIC_BASE_URL: upstream.url },
        ...(token !== null && { token }),
      })
      const [one, other] = [serverOf(isTokened, 'a', token), serverOf(isTokened, 'b', token)]
      users = [new User('ada', one), new User('bob', one), new User('eve', one), new User('ada', other)]
    })
    afterEach(async () => {
      for (const user of users) await user.host.stop()
      await runner.close()
      await upstream.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test('all at once, turn after turn, each gets its own answers', async () => {
      const said = (index: number, turn: number) => `user ${index} turn ${turn}`
      for (const turn of [1, 2, 3]) {
        const asked = users.map((user, index) =>
          user.ask(steps(text(said(index, turn)), { act: `call-${index}-${turn}` })),
        )
        await Promise.all(asked)
      }
      for (const [index, user] of users.entries()) {
        expect(await user.texts()).toEqual([1, 2, 3].map((turn) => said(index, turn)))
        expect((await user.payloads<{ status: string }>('turn_end')).map(({ status }) => status)).toEqual([
          'completed',
          'completed',
          'completed',
        ])
      }
      const handles = (
        await Promise.all(users.map((user) => user.payloads<{ handle: { request: string } }>('run_started')))
      ).flat()
      expect(new Set(handles.map(({ handle }) => handle.request)).size).toBe(12)
      expect(engine.acted).toHaveLength(12)
    })

    test('while one waits for an approval, the others see, answer and change nothing of it', async () => {
      const [ada, ...others] = users as [User, ...User[]]
      const ask = { toolUseId: 't1', toolName: 'Bash', input: { command: 'touch ada.txt' }, reason: 'asks' }
      await ada.ask('first')
      const asked = ada.ask(steps(text('ADA-SECRET'), { ask }, { act: 'after' }))
      await until(async () => (await ada.payloads('approval_required')).length === 1)
      expect(await keyInUse()).toBe('of tenant-ada')
      const [{ request_id: approvalId }] = (await ada.payloads('approval_required')) as [{ request_id: string }]
      const waiting = Promise.all(others.map((user, index) => user.ask(`other ${index}`)))
      for (const user of others) await until(async () => (await user.payloads('sandbox_awaited')).length === 1)
      for (const user of others) {
        expect(JSON.stringify(await user.events())).not.toContain('ADA-SECRET')
        expect(await user.payloads('approval_required')).toEqual([])
        expect(await user.payloads('error')).toEqual([])
        expect(await user.send({ type: 'approve', approvalId, decision: 'approved' })).toMatchObject({
          refused: 'approval_not_found',
        })
      }
      expect(engine.verdicts).toEqual([])
      expect(await keyInUse()).toBe('of tenant-ada')
      await ada.send({ type: 'approve', approvalId, decision: 'approved' })
      await asked
      expect(await ada.texts()).toEqual(['first', 'ADA-SECRET'])
      await waiting
      expect([engine.verdicts.length, engine.acted]).toEqual([1, ['after']])
      await Promise.all(others.map((user, index) => user.ask(`other ${index} again`)))
      for (const [index, user] of others.entries())
        expect(await user.texts()).toEqual([`other ${index}`, `other ${index} again`])
    })
  },
)
