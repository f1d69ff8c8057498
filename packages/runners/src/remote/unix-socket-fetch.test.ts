import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { puppetEngine, steps, text } from '../engines/puppet.suite.ts'
import { listenOnSocket } from '../process/listener.ts'
import { SandboxRunner } from '../server/sandbox-runner.ts'
import { readRunnerFrames } from './runner-frames.ts'
import { unixSocketFetch } from './unix-socket-fetch.ts'

let folder: string
const servers: Server[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-unix-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  rmSync(folder, { recursive: true, force: true })
})
const listening = async (listener: RequestListener, path = join(folder, 'runner.sock')) => {
  const server = createServer(listener)
  servers.push(server)
  await listenOnSocket(server, path)
  return unixSocketFetch(path)
}
const openFolders = () => readdirSync('/proc/self/fd').length
const until = async (isSo: () => boolean) => {
  for (let tries = 0; !isSo(); tries++) {
    expect(tries).toBeLessThan(1_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('a request over a unix socket', () => {
  test('has its method, headers and body; its answer a status, headers and a body', async () => {
    const reach = await listening(async (incoming, outgoing) => {
      let body = ''
      for await (const chunk of incoming) body += chunk
      const { host, authorization } = incoming.headers
      outgoing.writeHead(409, { 'x-said': 'yes' })
      outgoing.end(JSON.stringify({ url: incoming.url, method: incoming.method, host, authorization, body }))
    })
    const init = { method: 'PUT', headers: { authorization: 'Bearer x' }, body: 'é' }
    const answer = await reach('http://runner/a/b?c=d', init)
    expect([answer.status, answer.headers.get('x-said')]).toEqual([409, 'yes'])
    expect(await answer.json()).toEqual({
      url: '/a/b?c=d',
      method: 'PUT',
      host: 'runner',
      authorization: 'Bearer x',
      body: 'é',
    })
  })

  test('a redirect is an answer like any other', async () => {
    const asked: string[] = []
    const reach = await listening((incoming, outgoing) => {
      asked.push(incoming.url ?? '')
      outgoing.writeHead(307, { location: 'http://runner/elsewhere' }).end()
    })
    const answer = await reach('http://runner/query', { method: 'POST', body: '{}', redirect: 'follow' })
    expect([answer.status, asked]).toEqual([307, ['/query']])
    expect(
      (await (await listening((_asked, out) => void out.writeHead(204).end(), join(folder, 'b')))('http://r', {}))
        .status,
    ).toBe(204)
  })

  test('each piece arrives when it is sent', async () => {
    let next = (_piece: string) => {}
    const reach = await listening((_incoming, outgoing) => {
      outgoing.flushHeaders()
      next = (piece) => void outgoing.write(piece)
    })
    const leave = new AbortController()
    const { body } = await reach('http://runner/', { signal: leave.signal })
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    for (const piece of ['one', 'two', 'three']) {
      next(piece)
      expect(new TextDecoder().decode((await reader.read()).value)).toBe(piece)
    }
    leave.abort(new Error('left'))
    await expect(reader.read()).rejects.toThrow('left')
  })

  test('a reader that does not read makes the sender wait', async () => {
    const chunk = Buffer.alloc(64 * 1024)
    let sent = 0
    let isFull = false
    const reach = await listening((_incoming, outgoing) => {
      const more = () => {
        while (!outgoing.destroyed && sent < 64 * 1024 * 1024) {
          sent += chunk.length
          if (!outgoing.write(chunk)) {
            isFull = true
            return void outgoing.once('drain', more)
          }
        }
        outgoing.end()
      }
      more()
    })
    const { body } = await reach('http://runner/', {})
    await until(() => isFull)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(sent).toBeLessThan(4 * 1024 * 1024)
    let read = 0
    for await (const bytes of body ?? []) read += bytes.length
    expect(read).toBe(64 * 1024 * 1024)
  })

  test('a reader that leaves closes the connection', async () => {
    let isClosed = false
    const reach = await listening((_incoming, outgoing) => {
      outgoing.write('a')
      outgoing.once('close', () => {
        isClosed = true
      })
    })
    const { body } = await reach('http://runner/', {})
    await body?.cancel()
    await until(() => isClosed)
  })

  test('is given up with its signal, before it is sent and before it is answered', async () => {
    const reach = await listening(() => {})
    const leave = new AbortController()
    const asked = reach('http://runner/', { signal: leave.signal })
    leave.abort(new Error('left'))
    await expect(asked).rejects.toThrow('left')
    await expect(reach('http://runner/', { signal: leave.signal })).rejects.toThrow('left')
  })

  test('nobody there, or a connection that breaks: a TypeError, as of fetch', async () => {
    await expect(unixSocketFetch(join(folder, 'none'))('http://runner/', {})).rejects.toThrow(
      new TypeError('fetch failed'),
    )
    const reach = await listening((incoming, outgoing) => {
      if (incoming.url === '/head') return void incoming.socket.destroy()
      outgoing.writeHead(200, { 'content-length': '10' })
      outgoing.write('half', () => incoming.socket.destroy())
    })
    await expect(reach('http://runner/head', {})).rejects.toThrow(TypeError)
    const answer = await reach('http://runner/body', {})
    await expect(answer.text()).rejects.toThrow(TypeError)
  })

  test.runIf(process.platform === 'linux')('a path of any length does, and leaves no folder open', async () => {
    const deep = join(folder, 'a'.repeat(90), 'b'.repeat(90))
    mkdirSync(deep, { recursive: true })
    const path = join(deep, 'runner.sock')
    const reach = await listening((_incoming, outgoing) => void outgoing.end('deep'), path)
    const before = openFolders()
    for (let times = 0; times < 20; times++) expect(await (await reach('http://runner/', {})).text()).toBe('deep')
    await until(() => openFolders() <= before)
    await expect(unixSocketFetch(join(deep, 'none'))('http://runner/', {})).rejects.toThrow(TypeError)
    await expect(unixSocketFetch(join(deep, 'none', 'none'))('http://runner/', {})).rejects.toThrow(TypeError)
    await until(() => openFolders() <= before)
    const [server] = servers.splice(0)
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
    expect(existsSync(path)).toBe(false)
  })
})

describe('a runner on a unix socket', () => {
  const start = (path: string, token = 'secret') =>
    SandboxRunner.start({
      engines: [puppetEngine()],
      workFolder: join(folder, 'work'),
      stateFolder: join(folder, 'state'),
      env: { ANTHROPIC_API_KEY: 'key' },
      socketPath: path,
      token,
    })

  test.each([
    ['short', 'sockets/r'],
    ['long', join('r'.repeat(100), 'r')],
  ])('[R15] plays runs for who has its token; its path is %s', async (_name, name) => {
    const path = join(folder, name)
    mkdirSync(dirname(path))
    const runner = await start(path)
    expect(runner.url).toBe('http://runner')
    const fetchRunner = unixSocketFetch(path)
    // No name leads here, so none is checked.
    const headers = { authorization: 'Bearer secret', origin: 'https://elsewhere.example' }
    const body = JSON.stringify({ prompt: steps(text('Hi'), text(' there')) })
    expect((await fetchRunner(`${runner.url}/query`, { method: 'POST', body })).status).toBe(401)
    const answer = await fetchRunner(`${runner.url}/query`, { method: 'POST', headers, body })
    const types: string[] = []
    for await (const { event } of readRunnerFrames(answer.body as ReadableStream<Uint8Array>)) types.push(event.type)
    expect(types).toEqual(['run.started', 'assistant.delta', 'assistant.delta', 'run.completed'])
    await runner.close()
    expect(existsSync(path)).toBe(false)
  })

  test('[R15] needs a token, and takes the place of a socket that was left behind', async () => {
    await expect(start(join(folder, 'x'), '')).rejects.toThrow('BRIDLE_RUNNER_TOKEN')
    const path = join(folder, 'left')
    await import('node:child_process').then(({ spawnSync }) =>
      spawnSync(process.execPath, [
        '-e',
        `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`,
      ]),
    )
    expect(existsSync(path)).toBe(true)
    const runner = await start(path)
    expect((await unixSocketFetch(path)('http://runner/health', {})).status).toBe(200)
    await runner.close()
  })
})
