// Several servers of one machine, each with a data folder of its own: verbs ask the one of their folder, whatever its port.
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CliProcess, CliWorkspace, parseJsonRows, scriptOf } from '../cli.suite.ts'
import { ofThisFolder } from '../commands/doctor.ts'
import { serverAddress } from './settings.ts'

test('[C14] doctor does not take the server of another folder for the one of this folder', () => {
  const found = { isBridle: true, findings: [], agents: [], proxiedRequests: 0, store: 'sqlite' }
  expect(ofThisFolder(found, 'http://127.0.0.1:4317', join(tmpdir(), 'bridle-no-such-folder'))).toMatchObject({
    isBridle: false,
    findings: [{ check: 'server', state: 'note', detail: expect.stringContaining('another data folder') }],
  })
})

describe('[C4] without --url', () => {
  let world: CliWorkspace
  beforeEach(() => {
    world = new CliWorkspace()
  })
  afterEach(() => world.remove())

  const serve = async (data: string, ...more: string[]): Promise<CliProcess> => {
    const started = world.start(['start', '--port', '0', '--data', data, ...more])
    await started.until((line) => line.includes('ready at'))
    return started
  }
  const addressOf = (data: string): boolean => existsSync(join(world.folder, data, 'address'))
  const sessionsOf = async (data: string) => {
    const { code, stdout } = await world.bridle(['sessions', '--data', data])
    return [code, ...parseJsonRows(stdout).map(({ id }) => id)]
  }

  test('a verb asks the server of its data folder, with or without a token, also after a restart on another port', async () => {
    const folders = ['one', 'two', 'three']
    const [one] = await Promise.all([serve('one'), serve('two', '--token'), serve('three', '--store', 'memory')])
    for (const data of folders) {
      const run = await world.bridle(['run', 'scripted', scriptOf({ text: 'x' }), '--id', `of-${data}`, '--data', data])
      expect([run.code, run.stderr]).toEqual([0, ''])
    }
    for (const data of folders) expect(await sessionsOf(data)).toEqual([0, `of-${data}`])
    const doctor = await world.bridle(['doctor', '--data', 'two'])
    expect(parseJsonRows(doctor.stdout).find(({ check }) => check === 'server')).toMatchObject({ state: 'ok' })
    // A server that is named has precedence.
    const url = /ready at (\S+)/.exec(one?.lines.join('\n') ?? '')?.[1] ?? ''
    const named = await world.bridle(['sessions', '--data', 'three'], { env: { BRIDLE_URL: url } })
    expect(parseJsonRows(named.stdout).map(({ id }) => id)).toEqual(['of-one'])
    one?.process.kill('SIGKILL')
    await one?.ended
    expect(addressOf('one')).toBe(true)
    expect(await sessionsOf('one')).not.toContain('of-one')
    // The server at the usual address is now that of another folder: this is said once, and never where the address was named.
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const data = join(world.folder, 'one')
    const elsewhere = await serverAddress({ data }, {})
    elsewhere.onAnswer?.()
    elsewhere.onAnswer?.()
    const words = said.mock.calls.map(([text]) => text)
    said.mockRestore()
    expect(words).toEqual([
      `No server runs on the data folder ${data}. This is the one at http://127.0.0.1:4317, which has another folder and agents of its own. ` +
        `To start one for this folder: bridle start --port 4318 --data ${data}\n`,
    ])
    expect(await serverAddress({ data, url }, {})).not.toHaveProperty('onAnswer')
    await serve('one')
    expect(await serverAddress({ data }, {})).not.toHaveProperty('onAnswer')
    expect(await sessionsOf('one')).toEqual([0, 'of-one'])
  })

  test('the server that a run starts for itself is found by no other command', async () => {
    const env = await world.unnamed()
    const run = world.start(['run', 'scripted', scriptOf({ text: 'x' }, { sleepMs: 60_000 }), '--data', 'one'], { env })
    await run.until((line) => line.includes('"text"'))
    expect(addressOf('one')).toBe(false)
    run.process.kill('SIGKILL')
    await run.ended
  })
})
