// `bridle start --token` with the real command: a token that is made once, that the same user's verbs find, and that goes to no
// other server.
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { longTest } from '../../../../scripts/long-test.ts'
import { isThorough } from '../../../../scripts/variants.ts'
import { type CliProcess, CliWorkspace, freePort, parseJsonRows, scriptOf } from '../cli.suite.ts'
import { matchingServerUrl } from './local-server.ts'

describe('[C19] start --token', () => {
  let world: CliWorkspace
  beforeEach(() => {
    world = new CliWorkspace()
  })
  afterEach(() => world.remove())

  const file = (data: string, name: string) => join(world.folder, data, name)
  const tokenIn = (data: string) => readFileSync(file(data, 'token'), 'utf8')
  /** A server of its own with this data folder. */
  const serve = async (
    data: string,
    ...more: string[]
  ): Promise<{ url: string; started: CliProcess; banner: () => string }> => {
    const port = more.includes('--port') ? [] : ['--port', '0']
    const started = world.start(['start', ...port, '--data', data, ...more])
    const line = await started.until((each) => each.includes('ready at'))
    // The banner is one write, and ends with the address for a browser.
    if (more.includes('--token')) await started.until((each) => each.includes('In a browser'))
    return { url: /ready at (\S+)/.exec(line)?.[1] ?? '', started, banner: () => started.lines.join('\n') }
  }
  const statusOf = async (url: string, token?: string) =>
    (await fetch(url, { headers: { ...(token && { authorization: `Bearer ${token}` }) } })).status

  test('[O21] [C260] makes one token for each data folder, keeps it, and asks for it', async () => {
    const servers = await Promise.all(['one', 'two', 'three'].map((data) => serve(data, '--token')))
    const tokens = ['one', 'two', 'three'].map(tokenIn)
    expect(new Set(tokens).size).toBe(3)
    for (const [index, { url, banner, started }] of servers.entries()) {
      const [token = ''] = tokens.slice(index)
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
      if (process.platform !== 'win32')
        for (const name of ['token', 'address'])
          expect(statSync(file(['one', 'two', 'three'][index] ?? '', name)).mode & 0o777).toBe(0o600)
      const answers = await Promise.all(
        [undefined, 'wrong', ...tokens].map((each) => statusOf(`${url}/sessions`, each)),
      )
      expect(answers).toEqual([401, 401, ...tokens.map((each) => (each === token ? 200 : 401))])
      expect(banner()).not.toContain(token)
      // A command without the folder would not find the token.
      expect(banner()).toMatch(/ try .* run .* --data \S+/)
      // The page for a browser opens once.
      const page = /In a browser, .*: (\S+)/.exec(banner())?.[1] ?? ''
      expect([await statusOf(page), await statusOf(page)]).toEqual([200, 401])
      started.process.kill('SIGTERM')
      await started.ended
    }
    const again = await serve('two', '--token')
    expect([tokenIn('two'), await statusOf(`${again.url}/sessions`, tokens[1])]).toEqual([tokens[1], 200])
  })

  if (isThorough)
    test('every verb of the same user finds it by the data folder', async () => {
      const servers = new Map<string, string>()
      const folders = ['one', 'two', 'three']
      await Promise.all(folders.map(async (data) => servers.set(data, (await serve(data, '--token')).url)))
      const call = async (data: string, ...args: string[]) =>
        world.bridle([...args, '--url', servers.get(data) ?? '', '--data', data])
      const all = async (act: (data: string) => Promise<void>) => void (await Promise.all(folders.map(act)))
      await all(async (data) => {
        const run = await call(data, 'run', 'scripted', scriptOf({ text: `in ${data}` }), '--id', `of-${data}`)
        expect([run.code, parseJsonRows(run.stdout).at(-1)]).toMatchObject([
          0,
          { type: 'outcome', result: `in ${data}` },
        ])
      })
      await all(async (data) => {
        expect(parseJsonRows((await call(data, 'sessions')).stdout).map(({ id }) => id)).toEqual([`of-${data}`])
        expect(await call(data, 'approvals')).toMatchObject({ code: 0 })
        const doctor = await call(data, 'doctor')
        expect(parseJsonRows(doctor.stdout).find(({ check }) => check === 'token')).toMatchObject({
          ...{ state: 'ok', detail: `set by ${join(data, 'token')}` },
        })
        expect(doctor.stdout).not.toContain(tokenIn(data))
        const attached = world.start(['attach', `of-${data}`, '--url', servers.get(data) ?? '', '--data', data])
        await attached.until((line) => line.includes(`in ${data}`))
        attached.process.kill('SIGKILL')
        await attached.ended
      })
      // By the environment and by the configuration, too.
      const url = servers.get('two') ?? ''
      expect((await world.bridle(['sessions'], { env: { BRIDLE_URL: url, BRIDLE_DATA: 'two' } })).code).toBe(0)
      const local = url.replace('127.0.0.1', 'localhost')
      expect((await world.bridle(['sessions', '--url', local, '--data', 'two'])).code).toBe(0)
      writeFileSync(join(world.folder, 'bridle.config.ts'), `export default { data: 'two' }`)
      writeFileSync(join(world.folder, 'package.json'), `{ "type": "module" }`)
      expect((await world.bridle(['sessions', '--url', url])).code).toBe(0)
      // The wrong folder is the wrong server, and says what to do.
      const wrong = await world.bridle(['sessions', '--url', url, '--data', 'three'])
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--data')])
    })

  describe('the token is not sent', () => {
    let heard: (string | undefined)[]
    let stranger: Server
    const listen = async (port: number): Promise<string> => {
      stranger = createServer((request, response) => {
        heard.push(request.headers.authorization)
        response.setHeader('content-type', 'application/json').end('{"sessions":[],"ok":true}')
      }).listen(port, '127.0.0.1')
      await once(stranger, 'listening')
      return `http://127.0.0.1:${(stranger.address() as { port: number }).port}`
    }
    beforeEach(() => {
      heard = []
    })
    afterEach(() => void stranger.close())

    longTest('to another server of this machine', async () => {
      await serve('one', '--token')
      const url = await listen(0)
      for (const verb of ['sessions', 'approvals', 'doctor']) await world.bridle([verb, '--url', url, '--data', 'one'])
      expect(heard.length).toBeGreaterThan(2)
      expect(heard.filter((each) => each !== undefined)).toEqual([])
    })

    test('to another program on the port after the server died, or was stopped', async () => {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const port = await freePort()
        const { started } = await serve('one', '--token', '--port', String(port))
        started.process.kill(signal)
        await started.ended
        const url = await listen(port)
        await world.bridle(['sessions', '--url', url, '--data', 'one'])
        stranger.close()
      }
      expect([heard.length > 1, new Set(heard)]).toEqual([true, new Set([undefined])])
    })

    longTest('to the earlier port of a server that listens on another one now', async () => {
      const port = await freePort()
      const { started } = await serve('one', '--token', '--port', String(port))
      started.process.kill('SIGKILL')
      await started.ended
      await serve('one')
      // The address of the server of now, which asks for no token.
      expect(readFileSync(file('one', 'address'), 'utf8').split('\n')).toEqual([
        expect.not.stringContaining(`:${port}`),
        '',
      ])
      const url = await listen(port)
      await world.bridle(['sessions', '--url', url, '--data', 'one'])
      expect(new Set(heard)).toEqual(new Set([undefined]))
    })
  })

  test('a token in the environment is required too, and has precedence', async () => {
    const started = world.start(['start', '--port', '0', '--data', 'one', '--token'], {
      env: { FABRIC_HARNESS_API_TOKEN: 'of-the-environment' },
    })
    const url = /ready at (\S+)/.exec(await started.until((line) => line.includes('ready at')))?.[1] ?? ''
    for (const token of ['of-the-environment', tokenIn('one')])
      expect(await statusOf(`${url}/sessions`, token)).toBe(200)
    const wrong = { FABRIC_HARNESS_API_TOKEN: 'wrong' }
    expect((await world.bridle(['sessions', '--url', url, '--data', 'one'], { env: wrong })).code).toBe(1)
  })

  test('dev makes one too; for a Worker it says what to do instead', async () => {
    const dev = world.start(['dev', '--port', '0', '--data', 'one', '--token'])
    const url = /ready at (\S+)/.exec(await dev.until((line) => line.includes('ready at')))?.[1] ?? ''
    expect([await statusOf(`${url}/sessions`), await statusOf(`${url}/sessions`, tokenIn('one'))]).toEqual([401, 200])
    const worker = await world.bridle(['dev', '--target', 'cloudflare', '--token'])
    expect([worker.code, worker.stderr]).toEqual([2, expect.stringContaining('set FABRIC_HARNESS_API_TOKEN')])
  })

  test('a damaged token file is named, not replaced', async () => {
    const { started } = await serve('one', '--token')
    started.process.kill('SIGTERM')
    await started.ended
    writeFileSync(file('one', 'token'), 'x')
    const refused = await world.bridle(['start', '--port', '0', '--data', 'one', '--token'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is damaged. Remove it')])
    expect(tokenIn('one')).toBe('x')
  })
})

test.each<[string, string, string | null]>([
  ['http://127.0.0.1:1', 'http://127.0.0.1:1', 'http://127.0.0.1:1'],
  ['http://localhost:1', 'http://127.0.0.1:1', 'http://127.0.0.1:1'],
  ['http://localhost:1', 'http://[::1]:1', 'http://[::1]:1'],
  ['http://localhost:1', 'http://0.0.0.0:1', 'http://127.0.0.1:1'],
  ['http://localhost:1', 'http://[::]:1', 'http://[::1]:1'],
  ['http://127.0.0.1:1', 'http://0.0.0.0:1', 'http://127.0.0.1:1'],
  ['http://127.0.0.1:1', 'http://[::]:1', 'http://127.0.0.1:1'],
  ['http://[::1]:1', 'http://[::]:1', 'http://[::1]:1'],
  ['http://[::1]:1', 'http://0.0.0.0:1', null],
  ['http://[::1]:1', 'http://127.0.0.1:1', null],
  ['http://127.0.0.2:1', 'http://127.0.0.1:1', null],
  ['http://127.0.0.1:2', 'http://127.0.0.1:1', null],
  ['https://127.0.0.1:1', 'http://127.0.0.1:1', null],
  ['http://192.168.0.5:1', 'http://192.168.0.5:1', null],
  ['http://192.168.0.5:1', 'http://0.0.0.0:1', null],
  ['http://localhost:1', 'http://192.168.0.5:1', null],
  ['http://evil.example:1', 'http://0.0.0.0:1', null],
])('[C19] %s and the server %s: %s', (asked, own, url) => expect(matchingServerUrl(asked, own)).toBe(url))
