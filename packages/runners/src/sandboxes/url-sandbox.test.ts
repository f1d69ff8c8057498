import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { NoFreeSandboxError } from '../remote/sandbox-queue.ts'
import { fakeRunner, setBusy } from './fake-runner.suite.ts'
import { urlSandbox } from './url-sandbox.ts'

const key = { tenant: 't', agent: 'claude', id: 'a' }
let child: ChildProcess | undefined
const started = async (): Promise<string> => {
  const [program = '', ...args] = fakeRunner()
  child = spawn(program, args, { env: { BRIDLE_RUNNER_TOKEN: 'token' }, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{')) return JSON.parse(line).url
  }
  throw new Error('It did not start.')
}
const end = async () => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
afterEach(end)

test('[O16] one runner for all sessions, told apart from the one after it', async () => {
  const url = await started()
  const there = urlSandbox({ url: `${url}/`, token: 'token' })
  const box = await there.acquire(key)
  expect(box).toEqual({
    id: expect.stringMatching(/^url-[0-9a-f]{16}$/),
    url,
    token: 'token',
    hasRunEnv: true,
    notice: {
      requestedBackend: 'url',
      resolvedBackend: 'url',
      isolation: 'unknown',
      reason: `the runner at ${new URL(url).host} was not started by this server`,
    },
  })
  expect(await there.acquire({ ...key, id: 'b' })).toEqual(box)
  await there.setEnvVars(box, { ANTHROPIC_API_KEY: 'x' })
  expect(await there.health(box)).toMatchObject({ ok: true, hasAnthropicKey: true })
  expect([await there.find(box.id), await there.find('url-0000000000000000')]).toEqual([box, null])
  await there.stop(box)
  await there.forget(key)
  expect(await there.health(box)).toMatchObject({ ok: true })
})

test('busy is for the run to wait out; not there is an error that says so', async () => {
  const url = await started()
  const there = urlSandbox({ url, token: 'token' })
  const box = await there.acquire(key)
  await setBusy(box, true)
  await expect(there.acquire(key)).rejects.toBeInstanceOf(NoFreeSandboxError)
  expect(await there.find(box.id)).toEqual(box)
  await end()
  await expect(there.acquire(key)).rejects.toThrow('does not answer')
  expect([await there.find(box.id), await there.health(box)]).toEqual([null, null])
  await expect(there.setEnvVars(box, { KEY: 'a value' })).rejects.toThrow(/^((?!a value).)*$/)
})

test.each(['http://user:pass@runner', 'ftp://runner', 'http://runner/?token=x'])('%s is no URL of a runner', (url) =>
  expect(() => urlSandbox({ url })).toThrow('token is given apart'),
)
