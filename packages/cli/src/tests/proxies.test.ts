// Other people's clients and proxies: the platform's EventSource as a page would use it, and nginx as it comes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HarnessServer } from '@bridle/server/node/index'
import { upgradeAnswer } from '@bridle/server/tests/socket-client.suite'
import { isIdle, post, scriptBody, typesOf, watchStream } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { openAddresses } from '../config/proxy-search.ts'

let folder: string
let server: HarnessServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-proxies-'))
  server = await HarnessServer.start({
    port: 0,
    data: join(folder, 'data'),
    tokenPaceMs: 0,
    retryMs: 50,
    log: () => {},
  })
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
  await post(`${server.url}/agents/scripted/page`, scriptBody({ text: 'abcdefghijklmnopqrstuvwxyz', chunks: 26 }))
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
    const guarded = await HarnessServer.start({
      ...{ port: 0, data: join(folder, 'streamed'), tokenPaceMs: 0, log: () => {}, authToken: 'right' },
    })
    const { url, stop } = await nginx(`location / { proxy_pass ${guarded.url}; }`)
    const bearer = { authorization: 'Bearer right' }
    try {
      const watched = await watchStream(`${url}/agents/scripted/nginx/stream`, isIdle, bearer)
      // The run continues only when its first words came through the proxy: a buffered stream would never end.
      const answer = post(
        `${url}/agents/scripted/nginx`,
        scriptBody({ text: 'first' }, { approve: 'go' }, { text: ' second' }),
        bearer,
      )
      while (!watched.seen.some((frame) => frame.data.type === 'approval_requested')) await new Promise(setImmediate)
      const asked = watched.seen.find((frame) => frame.data.type === 'approval_requested')
      await post(`${url}/sessions/nginx/approvals/${asked?.data.data.approvalId}/approve`, {}, bearer)
      expect((await answer).body.result).toBe('first second')
      expect(typesOf(await watched.frames).at(-1)).toBe('idle')
    } finally {
      stop()
      await guarded.close()
    }
  },
)

test.skipIf(needs('nginx'))(
  '[O3] [O37] [H55] pages of a public name, through nginx with and without the lines that docs name',
  async () => {
    const authToken = 'right'
    const guarded = await HarnessServer.start({
      ...{ port: 0, data: join(folder, 'guarded'), tokenPaceMs: 0, log: () => {}, authToken },
      trustedProxies: ['loopback'],
    })
    const lines = `proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";`
    const { url, stop } = await nginx(`
    location /named/ { proxy_pass ${guarded.url}/; ${lines} proxy_set_header Host $host; }
    location /forwarded/ { proxy_pass ${guarded.url}/; ${lines} proxy_set_header X-Forwarded-Host $host; }
    location /plain/ { proxy_pass ${guarded.url}/; ${lines} }
    location /tokenless/ { proxy_pass ${server.url}/; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }
    location / { proxy_pass ${guarded.url}; }`)
    try {
      const headers = { host: 'public.example', origin: 'https://public.example', authorization: `Bearer ${authToken}` }
      const asked = async (place: string) => [
        (await raw('POST', `${url}/${place}/tickets`, headers, '{}')).status,
        (await upgradeAnswer(`${url}/${place}/ws?userId=x`, { headers })).status,
      ]
      expect(await asked('named')).toEqual([201, 101])
      expect(await asked('forwarded')).toEqual([201, 101])
      expect(await asked('plain')).toEqual([403, 403])
      const open = await raw('GET', `${url}/tokenless/sessions`, { host: 'public.example' })
      expect([open.status, open.text]).toEqual([403, expect.stringContaining('came through a proxy')])
    } finally {
      stop()
      await guarded.close()
    }
  },
)

test.skipIf(needs('nginx'))(
  '[H56] a server without a token refuses nginx as it comes, which adds no header, and sockets and HTTP/1.0 of anybody',
  async () => {
    const upgrading = `proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";`
    const { url, stop } = await nginx(`
    location /via/ { proxy_pass ${server.url}/; ${upgrading} proxy_set_header Via "1.1 nginx"; }
    location /bare/ { proxy_pass ${server.url}/; proxy_http_version 1.1; }
    location / { proxy_pass ${server.url}; }`)
    try {
      const headers = { host: 'agents.example.com' }
      const body = JSON.stringify(scriptBody({ text: 'x' }))
      const statuses = async (place: string) => [
        (await raw('GET', `${url}${place}/sessions`, headers)).status,
        (await raw('POST', `${url}${place}/agents/scripted/ngx`, headers, body)).status,
        (await upgradeAnswer(`${url}${place}/ws?userId=x`, { headers })).status,
        (await raw('GET', `${url}${place}/health`, headers)).status,
      ]
      expect(await statuses('')).toEqual([403, 403, 403, 200])
      expect(await statuses('/via')).toEqual([403, 403, 403, 200])
      const upgrade =
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
      expect(await oldStatus(server.url, '/sessions')).toBe('403')
      expect(await oldStatus(server.url, '/ws?userId=x', upgrade)).not.toBe('101')
      // No header and HTTP/1.1: nothing tells it from a program of this machine, but doctor asks from outside.
      expect(await openAddresses([`${url}/bare`, url, `${url}/via`, 'http://127.0.0.1:1'])).toEqual([`${url}/bare`])
      const { workspace } = (await (await fetch(`${server.url}/ready`)).json()) as { workspace: object }
      expect(workspace).toMatchObject({ proxiedRequests: expect.any(Number) })
    } finally {
      stop()
    }
  },
)

test('[H56] with a token, HTTP/1.0 is as good as any', async () => {
  const guarded = await HarnessServer.start({ port: 0, data: join(folder, 'old'), log: () => {}, authToken: 'right' })
  try {
    const asked = (token: string) => oldStatus(guarded.url, '/sessions', `Authorization: Bearer ${token}\r\n`)
    expect([await asked('right'), await asked('wrong')]).toEqual(['200', '401'])
  } finally {
    await guarded.close()
  }
})

/** The status of a request in HTTP/1.0. */
const oldStatus = async (url: string, path: string, headers = ''): Promise<string | undefined> => {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`)
  let answer = ''
  for await (const part of socket.setEncoding('utf8')) answer += part
  return answer.split(' ')[1]
}

/** With a Host of one's own, which fetch does not send. */
const raw = (method: string, url: string, headers: Record<string, string>, body = '') =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) =>
    request(url, { method, headers, agent: false }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode, text })
    })
      .on('error', reject)
      .end(body),
  )

let nginxes = 0
/** nginx with its default settings, and these places. */
const nginx = async (locations: string) => {
  const port = await freePort()
  const prefix = join(folder, `nginx-${nginxes++}`)
  mkdirSync(prefix)
  const config = `daemon off; master_process off; pid ${prefix}/pid; error_log ${prefix}/error.log;
  events {}
  http { access_log off; client_body_temp_path ${prefix}/b; proxy_temp_path ${prefix}/p; fastcgi_temp_path ${prefix}/f;
    uwsgi_temp_path ${prefix}/u; scgi_temp_path ${prefix}/s;
    server { listen 127.0.0.1:${port}; ${locations} } }`
  writeFileSync(join(prefix, 'nginx.conf'), config)
  const proxy = spawn('nginx', ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', join(prefix, 'error.log')], {
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  await answering(proxy, `${url}/health`)
  return { url, stop: () => proxy.kill() }
}

/** A TCP proxy that cuts every connection after a few hundred bytes of answer. */
const cuttingProxy = async (target: number) => {
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
