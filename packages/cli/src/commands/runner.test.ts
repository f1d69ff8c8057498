import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'

let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace({})
})
afterAll(() => work.remove())

test('[C17] a runner says where it listens, asks every caller for its token, and ends when it is told to', async () => {
  const runner = work.start(['runner', '--port', '0'], { env: { BRIDLE_RUNNER_TOKEN: 'secret' } })
  const { url } = JSON.parse(await runner.until((line) => line.startsWith('{'))) as { url: string }
  const ask = async (authorization: string) =>
    (await fetch(`${url}/query`, { method: 'POST', headers: { authorization }, body: '{}' })).status
  expect([await ask(''), await ask('Bearer wrong'), await ask('Bearer secret')]).toEqual([401, 401, 400])
  runner.process.kill('SIGTERM')
  expect((await runner.ended).code).toBe(0)
})

test('[C17] an address that others reach needs a token', async () => {
  const { code, stderr } = await work.bridle(['runner', '--port', '0', '--host', '0.0.0.0'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('token')
})

test('[C17] how approvals are decided for callers that answer none is a word of three', async () => {
  const { code, stderr } = await work.bridle(['runner', '--port', '0', '--approvals', 'maybe'])
  expect(code).toBe(2)
  expect(stderr).toContain('deny, allow or read-only')
})
