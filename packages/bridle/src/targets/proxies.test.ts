// Other people's clients and proxies: the platform's EventSource as a page would use it, and nginx as it comes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { isIdle, post, script, types, watch } from '../surfaces/http/client.suite.ts'
import { HarnessServer } from './node.ts'

let folder: string
let server: HarnessServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-proxies-'))
  server = await HarnessServer.start({ port: 0, data: join(folder, 'data'), tokenPaceMs: 0, log: () => {} })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('[H4] [H5] an EventSource with onmessage sees every event once, also when each connection is cut', async () => {
  const cutter = await cuttingProxy(Number(new URL(server.url).port))
  const program = `
    setInterval(() => {}, 1_000) // Waiting to reconnect does not keep a Node process alive.
    const events = new EventSource(process.argv[1])
    events.onmessage = (message) => {
      const event = JSON.parse(message.data)
      console.log(message.lastEventId + ' ' + event.type)
      if (event.type === 'idle') process.exit(0)
    }`
  const page = spawn(process.execPath, [
    '--experimental-eventsource',
    '--no-warnings',
    '-e',
    program,
    `${cutter.url}/agents/scripted/page/stream`,
  ])
  let seen = ''
  page.stdout.on('data', (chunk) => {
    seen += chunk
  })
  await post(`${server.url}/agents/scripted/page`, script({ text: 'abcdefghijklmnopqrstuvwxyz', chunks: 26 }))
  await once(page, 'exit')
  cutter.close()
  const ids = seen
    .trim()
    .split('\n')
    .map((line) => Number(line.split(' ')[0]))
  expect(seen.match(/text_delta/g)).toHaveLength(26)
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
  expect(cutter.cuts()).toBeGreaterThan(0)
})

test.skipIf(needs('nginx'))(
  '[H9] events pass nginx with its default settings as they happen (skipped where nginx is not installed)',
  async () => {
    const port = await freePort()
    const prefix = join(folder, 'nginx')
    mkdirSync(prefix)
    const config = `daemon off; master_process off; pid ${prefix}/pid; error_log ${prefix}/error.log;
    events {}
    http { access_log off; client_body_temp_path ${prefix}/b; proxy_temp_path ${prefix}/p; fastcgi_temp_path ${prefix}/f;
      uwsgi_temp_path ${prefix}/u; scgi_temp_path ${prefix}/s;
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${server.url}; } } }`
    writeFileSync(join(prefix, 'nginx.conf'), config)
    const proxy = spawn('nginx', ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', join(prefix, 'error.log')], {
      stdio: 'ignore',
    })
    try {
      const url = `http://127.0.0.1:${port}`
      await answering(proxy, `${url}/health`)
      const watched = await watch(`${url}/agents/scripted/nginx/stream`, isIdle)
      // The run goes on only when its first words were seen through the proxy: a buffered stream would never end.
      const answer = post(
        `${url}/agents/scripted/nginx`,
        script({ text: 'first' }, { approve: 'go' }, { text: ' second' }),
      )
      while (!watched.seen.some((frame) => frame.data.type === 'approval_requested')) await new Promise(setImmediate)
      const asked = watched.seen.find((frame) => frame.data.type === 'approval_requested')
      await post(`${url}/sessions/nginx/approvals/${asked?.data.data.approvalId}/approve`, {})
      expect((await answer).body.result).toBe('first second')
      expect(types(await watched.frames).at(-1)).toBe('idle')
    } finally {
      proxy.kill()
    }
  },
)

/** A TCP proxy that cuts every connection after a few hundred bytes of answer. */
const cuttingProxy = async (target: number) => {
  const { connect } = await import('node:net')
  let cuts = 0
  const proxy = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    let left = 1_500
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) return
      cuts += 1
      client.destroy()
      upstream.destroy()
    })
    client.on('data', (chunk) => upstream.write(chunk))
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => [client, upstream].map((each) => each.destroy()))
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, cuts: () => cuts, close: () => proxy.close() }
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return port
}

const answering = async (child: ChildProcess, url: string): Promise<void> => {
  while (child.exitCode === null) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (ok) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('nginx ended before it answered.')
}
