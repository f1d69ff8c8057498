// Three tenants behind workerd share a runner by its URL: their sessions and runs have the same names.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PuppetEngine, puppetEngine, steps, text } from '@bridle/runners/engines/puppet.suite'
import { withoutIsolation } from '@bridle/runners/sandboxes/isolation/engine-start.suite'
import { echo } from '@bridle/runners/server/runner.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { unseal } from '@bridle/surfaces/http/access/sealing'
import { get, post, readFrames } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

const TENANTS = ['ada', 'bob', 'eve'] as const
const secret = { BRIDLE_SECRET: 'a secret of at least thirty-two characters' }

const setups: [string, { [name: string]: string }][] = [
  ['with nothing secret at all', { BRIDLE_OPEN: '1' }],
  ['with a secret and the runner’s token', { ...secret, BRIDLE_RUNNER_TOKEN: 'runner' }],
  ['with the runner’s token alone', { BRIDLE_OPEN: '1', BRIDLE_RUNNER_TOKEN: 'runner' }],
]

// A sample for each change; all of them in the long tests.
describe.skipIf(noTools).each(setups.slice(0, process.env.BRIDLE_VARIANTS === 'all' ? setups.length : 1))(
  '[CF9] a shared runner behind workerd mixes nothing, %s',
  (_name, vars) => {
    let folder: string
    let engine: PuppetEngine
    let upstream: Awaited<ReturnType<typeof echo>>
    let runner: SandboxRunner
    let world: WorkerdProcess
    const of = (tenant: string) => ({ 'x-fabric-tenant': tenant })
    const ask = (tenant: string, prompt: string) => post(`${world.url}/agents/claude/main`, { prompt }, of(tenant))
    const everything = async (tenant: string) =>
      (await fetch(`${world.url}/chat/sessions/main?agent=claude`, { headers: of(tenant) })).text()
    /** The owner of the key that the run in progress has, where the test knows the Worker's secret; else the sealed key itself. */
    const keyInUse = async (): Promise<string> => {
      const asked = await fetch(`${await engine.baseUrl()}/v1/messages`, { method: 'POST', body: '{"model":"m"}' })
      const { key } = (await asked.json()) as { key: string }
      expect(key).toMatch(/^bridle-run-/)
      const { BRIDLE_SECRET: known } = vars
      const claim =
        known && (await unseal<{ key: { tenant: string } }>(known, 'credential', key.slice('bridle-run-'.length)))
      return claim ? claim.key.tenant : key
    }

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'bridle-cf-shared-'))
      engine = puppetEngine('claude')
      upstream = await echo()
      const { BRIDLE_RUNNER_TOKEN: token } = vars
      runner = await SandboxRunner.start({
        engines: [engine],
        workFolder: join(folder, 'work'),
        stateFolder: join(folder, 'state'),
        ...withoutIsolation(folder),
        env: { ANTHROPIC_API_KEY: 'own', ANTHROPIC_BASE_URL: upstream.url },
        ...(token !== undefined && { token }),
      })
      const lent = { ANTHROPIC_API_KEY: 'of the Worker', BRIDLE_PUBLIC_URL: upstream.url }
      world = await startTestWorker({ vars: { ...vars, ...lent, BRIDLE_RUNNER_URL: runner.url } })
    })
    afterEach(async () => {
      await world?.dispose()
      await runner.close()
      await upstream.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test('interleaved turns, one of them waiting for an approval', async () => {
      for (const turn of [1, 2]) {
        const asked = await Promise.all(
          TENANTS.map((who) => ask(who, steps(text(`${who} said ${turn}`), { act: `${who}-${turn}` }))),
        )
        expect(asked.map(({ status }) => status)).toEqual([200, 200, 200])
      }
      expect(engine.acted.toSorted()).toEqual(TENANTS.flatMap((who) => [`${who}-1`, `${who}-2`]))

      const question = { toolUseId: 't1', toolName: 'Bash', input: { command: 'touch ada.txt' }, reason: 'asks' }
      const waiting = ask('ada', steps(text('ADA-SECRET'), { ask: question }, { act: 'after' }))
      const stream = `${world.url}/agents/claude/main/stream`
      const frames = await readFrames(stream, (all) => all.at(-1)?.data.type === 'approval_requested', of('ada'))
      const approvalId = String(frames.at(-1)?.data.data.approvalId)
      const approval = `${world.url}/sessions/main/approvals/${approvalId}/approve?agent=claude`
      const inUse = await keyInUse()
      if (vars.BRIDLE_SECRET) expect(inUse).toBe('ada')

      const meanwhile = Promise.all(['bob', 'eve'].map((who) => ask(who, `${who} asks meanwhile`)))
      const statusOf = async (who: string) =>
        ((await get(`${world.url}/sessions`, of(who))).body.sessions as { status: string }[])[0]?.status
      for (const who of ['bob', 'eve']) await expect.poll(() => statusOf(who), { timeout: 10_000 }).toBe('queued')
      for (const who of ['bob', 'eve']) {
        expect(await everything(who)).not.toContain('ADA-SECRET')
        expect((await post(approval, {}, of(who))).status).toBe(404)
      }
      expect(engine.verdicts).toEqual([])
      expect(await keyInUse()).toBe(inUse)

      expect((await post(approval, {}, of('ada'))).status).toBe(200)
      expect((await waiting).body.result).toBe('done')
      expect([engine.verdicts.length, engine.acted.at(-1)]).toEqual([1, 'after'])
      expect((await meanwhile).map(({ status }) => status)).toEqual([200, 200])
      const after = await Promise.all(['bob', 'eve'].map((who) => ask(who, `${who} asks again`)))
      expect(after.map(({ status }) => status)).toEqual([200, 200])
      for (const who of TENANTS) {
        const shown = await everything(who)
        expect(shown).toContain(`${who} said 2`)
        for (const other of TENANTS) if (other !== who) expect(shown).not.toContain(`${other} said`)
      }
    })
  },
)
